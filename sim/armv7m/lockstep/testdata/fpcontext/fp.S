	.syntax unified
	.cpu cortex-m4
	.fpu fpv4-sp-d16
	.thumb
	.text

	.macro routine name
	.global \name
	.thumb_func
	.type \name, %function
\name:
	.endm

routine fp_fill
	vmrs r3, fpscr
	vldmia r0!, {s0-s31}
	vmsr fpscr, r1
	bx lr

routine fp_dump
	vmrs r3, fpscr
	vstmia r0!, {s0-s31}
	vmrs r3, fpscr
	str r3, [r0]
	bx lr

routine fp_compute
	vmrs r3, fpscr
	vmov s1, r0
	vmov s2, r1
	vadd.f32 s0, s1, s2
	vmul.f32 s3, s0, s2
	vsub.f32 s17, s3, s1
	vmov r0, s17
	vmrs r3, fpscr
	bx lr

routine fp_single
	vmrs r3, fpscr
	bx lr

routine fpccr
	ldr r0, =0xe000ef34
	ldr r0, [r0]
	bx lr
	.pool

routine shifted
	push {r3, r4, r5, lr}
	sub sp, #4
	bl act
	add sp, #4
	pop {r3, r4, r5, pc}

@ PendSV switches between two tasks, each with its floating-point context.
routine pendsv
	mrs r0, psp
	tst lr, #0x10
	bne 1f
	vmrs r3, fpscr
	vstmdb r0!, {s16-s31}
1:	stmdb r0!, {r4-r11, lr}
	bl switch_task
	ldmia r0!, {r4-r11, lr}
	tst lr, #0x10
	bne 2f
	vmrs r3, fpscr
	vldmia r0!, {s16-s31}
2:	msr psp, r0
	bx lr

@ All other handlers: body(EXC_RETURN, frame).
	.macro handler name body
routine \name
	mov r0, lr
	tst lr, #4
	ite eq
	mrseq r1, msp
	mrsne r1, psp
	push {r4, lr}
	bl \body
	pop {r4, pc}
	.endm

	handler interrupt, interrupted
	handler fault, faulted
