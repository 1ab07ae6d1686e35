// The context switch of threads.c, as kernels have it: r4-r11 and EXC_RETURN
// (and S16-S31 of a thread that has used them) lie on the thread's own stack.
// Debug information tells nothing of it.
	.syntax unified
	.thumb
	.text

	.global PendSV_Handler
	.type PendSV_Handler, %function
	.thumb_func
PendSV_Handler:
	mrs r0, psp
	ldr r3, =current
	ldr r2, [r3]
#if __ARM_ARCH_6M__
	subs r0, #36
	str r0, [r2]
	stmia r0!, {r4-r7}
	mov r4, r8
	mov r5, r9
	mov r6, r10
	mov r7, r11
	stmia r0!, {r4-r7}
	mov r4, lr
	str r4, [r0]
	push {r3, lr}
	cpsid i
	bl choose_next
	cpsie i
	pop {r2, r3}
	ldr r1, [r2]
	ldr r0, [r1]
restore:
	adds r0, #16
	ldmia r0!, {r4-r7}
	mov r8, r4
	mov r9, r5
	mov r10, r6
	mov r11, r7
	ldr r3, [r0]
	adds r0, #4
	msr psp, r0
	subs r0, #36
	ldmia r0!, {r4-r7}
	bx r3
#else
#if defined(__ARM_FP) && !defined(__SOFTFP__)
	tst lr, #0x10
	it eq
	vstmdbeq r0!, {s16-s31}
#endif
	stmdb r0!, {r4-r11, r14}
	str r0, [r2]
	stmdb sp!, {r0, r3}
	mov r0, #32
	msr basepri, r0
	dsb
	isb
	bl choose_next
	mov r0, #0
	msr basepri, r0
	ldmia sp!, {r0, r3}
	ldr r1, [r3]
	ldr r0, [r1]
	ldmia r0!, {r4-r11, r14}
#if defined(__ARM_FP) && !defined(__SOFTFP__)
	tst r14, #0x10
	it eq
	vldmiaeq r0!, {s16-s31}
#endif
	msr psp, r0
	isb
	bx r14
#endif
	.pool
	.size PendSV_Handler, . - PendSV_Handler

	.global SVC_Handler
	.type SVC_Handler, %function
	.thumb_func
SVC_Handler:
	ldr r3, =current
	ldr r1, [r3]
	ldr r0, [r1]
#if __ARM_ARCH_6M__
	b restore
#else
	ldmia r0!, {r4-r11, r14}
	msr psp, r0
	isb
	bx r14
#endif
	.pool
	.size SVC_Handler, . - SVC_Handler
