@ Functions without size, with labels and data inside, an indirect function.
	.syntax unified
	.thumb
	.section .text.asm, "ax", %progbits
	.global unsized
	.type unsized, %function
	.thumb_func
unsized:
	push {r4, lr}
	movs r4, #3
unsized_loop:
	subs r4, #1
	bne unsized_loop
	pop {r4, pc}

	.global with_data
	.type with_data, %function
	.thumb_func
with_data:
	ldr r1, table
	add r0, r1
	b with_data_end
	.align 2
table:
	.word 0x12345678, 0x9abcdef0
with_data_end:
	bx lr
	.size with_data, . - with_data

	.global plain_label
plain_label:
	nop
	bx lr

	.global chosen
	.type chosen, %gnu_indirect_function
chosen:
	movs r0, #0
	bx lr
	.size chosen, . - chosen
