// gprof_entry.S: what C cannot say, for Cortex-M: the mcount that code compiled with -pg calls, and the interrupt that looks at
// what it interrupted.
#if defined(__arm__)
	.syntax unified
	.thumb

// gcc -pg begins a function with push {lr}; bl __gnu_mcount_nc, behind its prologue. r0 to r3 may be arguments; ip may be
// anything (AAPCS32, 6.1.1: veneers change it); the word on the stack is the function's LR, which goes back into LR and off
// the stack. Five words pushed and that one keep the alignment to 8 that there was.
	.section .text.__gnu_mcount_nc, "ax", %progbits
	.balign 4
	.global __gnu_mcount_nc
	.type __gnu_mcount_nc, %function
	.thumb_func
__gnu_mcount_nc:
	push {r0-r3, lr}
	ldr r0, [sp, #20]
	mov r1, lr
	bl gprof_call
#if defined(__thumb2__)
	pop {r0-r3, ip, lr}
	bx ip
#else
	ldr r0, [sp, #16]
	mov ip, r0
	ldr r0, [sp, #20]
	mov lr, r0
	pop {r0-r3}
	add sp, #8
	bx ip
#endif
	.size __gnu_mcount_nc, . - __gnu_mcount_nc

// The PC is the seventh word of the exception frame, with floating-point state behind it or not (DDI 0403E, B1.5.6; DDI 0419E,
// B1.5.6). Bit 2 of EXC_RETURN says on which stack the frame is. LR still has EXC_RETURN when gprof_tick returns.
	.section .text.gprof_irq, "ax", %progbits
	.balign 4
	.global gprof_irq
	.type gprof_irq, %function
#ifdef GPROF_HANDLER
	.global GPROF_HANDLER
	.type GPROF_HANDLER, %function
	.thumb_func
GPROF_HANDLER:
#endif
	.thumb_func
gprof_irq:
	mov r1, lr
	mrs r2, msp
	lsls r3, r1, #29
	bpl 1f
	mrs r2, psp
1:
#if __ARM_ARCH >= 8
// Where code of the other security state was interrupted (S and ES differ: DDI 0553B, B3.19), its frame is not to be had:
// the PC counts as outside. Without DCRS ten words of state are in front of the frame.
	movs r0, #1
	lsrs r3, r1, #6
	eors r3, r1
	tst r3, r0
	beq 2f
	movs r0, #0
	b 4f
2:
	lsrs r3, r1, #6
	bcs 3f
	adds r2, #40
3:
#endif
	ldr r0, [r2, #24]
4:
	ldr r1, =gprof_tick
	bx r1
	.ltorg
	.size gprof_irq, . - gprof_irq
#endif
