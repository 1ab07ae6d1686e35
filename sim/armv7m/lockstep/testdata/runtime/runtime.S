/* What a random program stands on: vectors, start, exception handlers. The
   handlers read every status register that tells why they run, so that a
   difference there becomes a difference of state. They use no stack.

   A fault inside the random code is skipped: the stacked return address moves
   behind the instruction, and floating point is open again. A fault anywhere else (a branch that left the code)
   goes on at the address in the recovery cell.

   The parameters are filled in by the generator (parameters.go). */

	.syntax unified
	.thumb
	.section .text

	.set PARAMETERS, 0x400
	.set P_ENTRY, 0
	.set P_BODY, 4		/* first and last address of random code */
	.set P_SHCSR, 12
	.set P_CCR, 16
	.set P_SHPR, 20		/* SHPR1 to SHPR3 */
	.set P_IPR, 32		/* 4 words */
	.set P_ISER, 48
	.set P_CPACR, 52
	.set P_FPCCR, 56
	.set P_FPDSCR, 60
	.set P_WORDS, 64	/* number of words that follow, copied to RAM */
	.set P_DATA, 68

	.set CELLS, 0x20000000	/* recovery address, counters */
	.set RAMDATA, 0x20000400
	.set SCB, 0xe000ed00
	.set ELEVATE, 0xf0	/* SVC that makes Thread mode privileged */
	.set MASKING, 0xf1	/* SVC whose handler sets FAULTMASK */

	.word 0x20003800
	.word start + 1
	.word fault + 1		/* NMI */
	.word fault + 1		/* HardFault */
	.word fault + 1		/* MemManage */
	.word fault + 1		/* BusFault */
	.word fault + 1		/* UsageFault */
	.word fault + 1, fault + 1, fault + 1, fault + 1
	.word service + 1
	.word fault + 1		/* DebugMonitor */
	.word fault + 1
	.word interrupt + 1	/* PendSV */
	.word interrupt + 1	/* SysTick */
	.rept 32
	.word interrupt + 1
	.endr

	.align 2
start:
	ldr r7, =PARAMETERS
	ldr r6, =SCB
	ldr r0, [r7, #P_SHPR + 4]
	str r0, [r6, #0x1c]
	ldr r0, [r7, #P_SHPR + 8]
	str r0, [r6, #0x20]
	ldr r5, =0xe000e400
	ldr r0, [r7, #P_IPR]
	ldr r1, [r7, #P_IPR + 4]
	ldr r2, [r7, #P_IPR + 8]
	ldr r3, [r7, #P_IPR + 12]
	str r0, [r5]
	str r1, [r5, #4]
	str r2, [r5, #8]
	str r3, [r5, #12]
	ldr r0, [r5]
	ldr r5, =0xe000e100
	ldr r0, [r7, #P_ISER]
	str r0, [r5]
	ldr r0, [r5]
#if __ARM_ARCH >= 7
	ldr r0, [r7, #P_SHPR]
	str r0, [r6, #0x18]
	ldr r0, [r7, #P_CCR]
	str r0, [r6, #0x14]
	ldr r0, [r6, #0x14]
	ldr r0, [r7, #P_SHCSR]
	str r0, [r6, #0x24]
	ldr r0, [r6, #0x24]
#endif
#ifdef __ARM_FP
	ldr r5, =0xe000ef00
	ldr r0, [r7, #P_FPCCR]
	str r0, [r5, #0x34]
	ldr r0, [r5, #0x34]
	ldr r0, [r7, #P_FPDSCR]
	str r0, [r5, #0x3c]
	ldr r0, [r5, #0x3c]
	adds r6, #0x80
	ldr r0, [r7, #P_CPACR]
	str r0, [r6, #8]
	ldr r0, [r6, #8]
	dsb
	isb
#endif
	ldr r0, [r7, #P_WORDS]
	movs r1, #P_DATA
	add r1, r7
	ldr r2, =RAMDATA
1:	ldmia r1!, {r3, r4}
	stmia r2!, {r3, r4}
	subs r0, #2
	bne 1b
	ldr r0, [r7, #P_ENTRY]
	bx r0

/* r0 = address of the stacked frame */
	.macro frame
#if __ARM_ARCH >= 7
	tst lr, #4
	ite eq
	mrseq r0, msp
	mrsne r0, psp
#else
	mrs r0, msp
	mov r1, lr
	lsls r1, #29
	bpl 9f
	mrs r0, psp
9:
#endif
	.endm

	.align 2
fault:
	ldr r3, =SCB
	ldr r2, [r3, #4]	/* ICSR */
#if __ARM_ARCH >= 7
	ldr r2, [r3, #0x24]	/* SHCSR */
	ldr r1, [r3, #0x2c]	/* HFSR */
	movs r0, #0
	mvns r0, r0
	str r0, [r3, #0x2c]
	ldr r2, [r3, #0x28]	/* CFSR */
	str r2, [r3, #0x28]
	ldr r1, [r3, #0x28]
	tst r2, #0x80
	it ne
	ldrne r0, [r3, #0x34]	/* MMFAR, where it is valid */
	tst r2, #0x8000
	it ne
	ldrne r0, [r3, #0x38]	/* BFAR, where it is valid */
#endif
	frame
	ldr r1, [r0, #24]
	ldr r3, =PARAMETERS
	ldr r2, [r3, #P_BODY]
	cmp r1, r2
	blo recover
	ldr r2, [r3, #P_BODY + 4]
	cmp r1, r2
	bhs recover
	ldrh r2, [r1]
	lsrs r2, #11
	cmp r2, #0x1d
	blo 1f
	adds r1, #2
1:	adds r1, #2
	b resume
recover:
	ldr r1, =CELLS
	ldr r1, [r1]
resume:
	str r1, [r0, #24]
#ifdef __ARM_FP
	ldr r3, =PARAMETERS	/* open, or the return would fault for ever */
	ldr r2, [r3, #P_CPACR]
	ldr r3, =SCB + 0x88
	str r2, [r3]
	dsb
	isb
#endif
	ldr r1, [r0, #28]
	ldr r2, =0xf90f03ff	/* no IT block */
	ands r1, r2
	ldr r2, =0x01000000	/* Thumb state */
	orrs r1, r2
	str r1, [r0, #28]
	bx lr

	.align 2
service:
	frame
	ldr r1, [r0, #24]
	subs r1, #2
	ldrb r2, [r1]
	cmp r2, #ELEVATE
	bne 1f
	mrs r2, control
	movs r1, #1
	bics r2, r1
	msr control, r2
	isb
1:
#if __ARM_ARCH >= 7
	cmp r2, #MASKING
	bne 1f
	cpsid f
1:
#endif
	ldr r3, =SCB
	ldr r2, [r3, #4]
	bx lr

	.align 2
interrupt:
	mrs r2, ipsr
	ldr r1, =CELLS + 4
	ldr r0, [r1]
	adds r0, #1
	str r0, [r1]
	ldr r3, =SCB
	ldr r2, [r3, #4]
	bx lr

	.ltorg
	.align 2
	.global last
last:
