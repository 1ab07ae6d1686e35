/* The context switch, in instructions that ARMv6-M has, too. */
	.syntax unified
	.thumb
	.cfi_sections .debug_frame
	.text

/* PendSV_Handler saves r4-r11 below the exception frame on the process stack, lets kernel_switch choose, and
 * returns into the task chosen. kernel_resumes is where that one's registers are loaded. */
	.section .text.PendSV_Handler, "ax", %progbits
	.global PendSV_Handler
	.type PendSV_Handler, %function
	.thumb_func
PendSV_Handler:
	.cfi_startproc
	mrs r0, psp
	subs r0, #32
	stmia r0!, {r4-r7}
	mov r4, r8
	mov r5, r9
	mov r6, r10
	mov r7, r11
	stmia r0!, {r4-r7}
	subs r0, #32
	push {r3, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset lr, -4
	bl kernel_switch
	adds r0, #16
	.global kernel_resumes
kernel_resumes:
	ldmia r0!, {r4-r7}
	mov r8, r4
	mov r9, r5
	mov r10, r6
	mov r11, r7
	msr psp, r0
	subs r0, #32
	ldmia r0!, {r4-r7}
	pop {r3, pc}
	.cfi_endproc
	.size PendSV_Handler, . - PendSV_Handler

/* kernel_adopt(handler_top) goes on with the caller's stack as process stack and gives exceptions one of their own. */
	.section .text.kernel_adopt, "ax", %progbits
	.global kernel_adopt
	.type kernel_adopt, %function
	.thumb_func
kernel_adopt:
	.cfi_startproc
	mrs r1, msp
	msr psp, r1
	movs r1, #2
	msr control, r1
	isb
	msr msp, r0
	bx lr
	.cfi_endproc
	.size kernel_adopt, . - kernel_adopt
