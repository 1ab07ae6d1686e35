// Hand-written functions, as start-up code, C libraries and kernels have them:
// no call frame information, no unwinding tables.
	.syntax unified
	.thumb
	.text

#if __ARM_ARCH_6M__
#define THUMB1 1
#endif

	.macro function name
	.global \name
	.type \name, %function
	.thumb_func
\name:
	.endm
	.macro ends name
	.size \name, . - \name
	.endm

// A leaf.
	function bare_leaf
	adds r0, r0, r1
	lsls r1, r0, #3
	eors r0, r0, r1
	bx lr
	ends bare_leaf

// The usual frame, r1 called with r0.
	function bare_frame
	push {r4, r5, r6, lr}
	mov r4, r0
	mov r5, r1
	blx r5
	adds r6, r0, r4
	mov r0, r6
	blx r5
	adds r0, r0, r6
	pop {r4, r5, r6, pc}
	ends bare_frame

// Locals below the saved registers; two steps down, one up.
	function bare_locals
	push {r4, lr}
	sub sp, #32
	str r0, [sp, #28]
	mov r4, r1
	sub sp, #8
	str r4, [sp]
	blx r4
	str r0, [sp, #4]
	add r1, sp, #4
	ldr r1, [r1]
	adds r0, r0, r1
	add sp, #40
	pop {r4, pc}
	ends bare_locals

// As many bytes of stack as the third argument says.
	function bare_dynamic
	push {r4, r7, lr}
	mov r7, sp
	mov r3, sp
	subs r3, r3, r2
	mov sp, r3
	str r0, [r3]
	mov r4, r3
	blx r1
	ldr r1, [r4]
	adds r0, r0, r1
	mov sp, r7
	pop {r4, r7, pc}
	ends bare_dynamic

// Two entries of one body.
	function bare_entry_one
	movs r2, #5
	ends bare_entry_one
	function bare_entry_two
	push {r3, r4, r5, lr}
	adds r0, r0, r2
	mov r4, r2
	blx r1
	adds r0, r0, r4
	pop {r3, r4, r5, pc}
	ends bare_entry_two

// A subroutine of its own inside.
	function bare_subroutine
	push {r4, r5, r6, lr}
	mov r4, r0
	mov r5, r1
	bl .Linner
	mov r6, r0
	mov r0, r4
	bl .Linner
	adds r0, r0, r6
	pop {r4, r5, r6, pc}
.Linner:
	adds r0, #7
	lsls r1, r0, #2
	subs r0, r1, r0
	bx lr
	ends bare_subroutine

// r8 to r11 saved through low registers, as ARMv6-M must.
	function bare_high
	push {r4, r5, r6, r7, lr}
	mov r4, r8
	mov r5, r9
	mov r6, r10
	mov r7, r11
	push {r4, r5, r6, r7}
	sub sp, #4
	mov r8, r0
	mov r9, r1
	blx r1
	mov r10, r0
	mov r0, r8
	blx r9
	add r0, r10
	add sp, #4
	pop {r4, r5, r6, r7}
	mov r8, r4
	mov r9, r5
	mov r10, r6
	mov r11, r7
	pop {r4, r5, r6, r7, pc}
	ends bare_high

// Jumps on, through a register and through the stack.
	function bare_thunk
	ldr r3, =bare_frame
	bx r3
	.pool
	ends bare_thunk
	function bare_stack_thunk
	push {r0, r1, r2, r3}
	ldr r3, =bare_frame
	str r3, [sp, #12]
	pop {r0, r1, r2, pc}
	.pool
	ends bare_stack_thunk

// A tail call behind a frame.
	function bare_tail
	push {r4, r5, r6, lr}
	mov r4, r1
	blx r1
	mov r1, r4
#if THUMB1
	pop {r4, r5, r6}
	pop {r3}
	mov lr, r3
#else
	pop {r4, r5, r6, lr}
#endif
	b bare_frame
	ends bare_tail

// Returns from the middle.
	function bare_early
	push {r4, lr}
	cmp r0, #0
#if THUMB1
	bne 1f
	pop {r4, pc}
1:
#else
	it eq
	popeq {r4, pc}
#endif
	mov r4, r0
	blx r1
	cmp r0, r4
	bhi 2f
	adds r0, #1
	pop {r4, pc}
2:
	subs r0, r0, r4
	pop {r4, pc}
	ends bare_early

// A frame around a part only.
	function bare_wrapped
	cmp r0, #0
	beq 2f
	movs r2, #3
	push {r4, r5, lr}
	sub sp, #4
	mov r4, r1
	mov r5, r2
1:
	blx r4
	subs r5, #1
	bne 1b
	add sp, #4
#if THUMB1
	pop {r4, r5}
	pop {r3}
	mov lr, r3
#else
	ldmia sp!, {r4, r5, lr}
#endif
2:
	adds r0, #4
	bx lr
	ends bare_wrapped

// Arguments stored above the return address.
	function bare_variable
	push {r0, r1, r2, r3}
	push {r4, lr}
	add r4, sp, #8
	ldr r0, [r4, #8]
	ldr r1, [r4, #4]
	blx r1
	ldr r1, [r4]
	adds r0, r0, r1
	pop {r4}
	pop {r3}
	add sp, #16
	bx r3
	ends bare_variable

// The return address in a register.
	function bare_link_kept
	push {r4, r5}
	mov r4, lr
	mov r5, r1
	blx r5
	adds r0, #1
	mov lr, r4
	pop {r4, r5}
	bx lr
	ends bare_link_kept

// A jump table between instructions.
	function bare_table
	push {r4, lr}
	adr r2, 1f
	lsls r3, r0, #2
	ldr r2, [r2, r3]
	mov pc, r2
	.balign 4
1:
	.word .Lzero, .Lone, .Ltwo, .Lthree
.Lzero:
	movs r0, #40
	b .Ljoin
.Lone:
	blx r1
	pop {r4, pc}
.Ltwo:
	sub sp, #8
	blx r1
	add sp, #8
.Ljoin:
	adds r0, #2
	pop {r4, pc}
.Lthree:
	pop {r4, pc}
	ends bare_table

// A literal pool in the way, whose words look like instructions.
	function bare_pool
	push {r4, r5, r6, lr}
	ldr r4, 2f
	ldr r5, 3f
	b 4f
	.balign 4
2:
	.word 0xb083b5f0
3:
	.word 0xbdf0b003
4:
	adds r0, r0, r4
	eors r0, r0, r5
	blx r1
	pop {r4, r5, r6, pc}
	ends bare_pool

// The epilogue of ARMv4T, which newlib still has.
	function bare_two_pops
	push {r4, r5, lr}
	sub sp, #12
	mov r4, r1
	blx r4
	mov r5, r0
	add sp, #12
	pop {r4, r5}
	pop {r1}
	bx r1
	ends bare_two_pops

// Pushes in a loop's body, balanced.
	function bare_loop
	push {r4, lr}
	movs r4, #0
1:
	ldmia r0!, {r2}
	push {r1, r2}
	adds r4, r4, r2
	pop {r1, r2}
	subs r1, #1
	bne 1b
	mov r0, r4
	pop {r4, pc}
	ends bare_loop

	function bare_recursive
	push {r4, lr}
	subs r4, r0, #0
	beq 1f
	subs r0, #1
	bl bare_recursive
	adds r0, r0, r4
1:
	pop {r4, pc}
	ends bare_recursive

// A function that says no size.
	function bare_unsized
	push {r0, r1, r2, lr}
	blx r1
	ldr r1, [sp]
	adds r0, r0, r1
	pop {r1, r2, r3, pc}

// One that calls another that is nothing but a label.
	function bare_untyped_through
	push {r4, lr}
	bl untyped
	adds r0, #1
	pop {r4, pc}
	ends bare_untyped_through
untyped:
	push {r4, r5, lr}
	mov r4, r0
	mov r5, r1
	blx r5
	adds r0, r0, r4
	pop {r4, r5, pc}

// Instructions that ARMv6-M lacks.
	function bare_wide
#if THUMB1
	b untyped
#else
	str lr, [sp, #-8]!
	stmdb sp!, {r4-r9}
	mov r3, #16
	sub.w sp, sp, r3
	subw sp, sp, #48
	strd r0, r1, [sp, #8]
	mov r8, r1
	blx r8
	ldrd r2, r3, [sp, #8]
	add r0, r0, r2
	add.w sp, sp, #64
	ldmia.w sp!, {r4-r9}
	ldr pc, [sp], #8
#endif
	ends bare_wide
