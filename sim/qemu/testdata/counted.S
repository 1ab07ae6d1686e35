/* A program whose instructions are counted by hand: behind each function stands what one call executes. It starts
 * over and over. For an MPS2 with a Cortex-M3: code at 0. */
	.syntax unified
	.cpu cortex-m3
	.thumb

	.macro function name
	.thumb_func
	.global \name
	.type \name, %function
\name:
	.endm

	.section .vectors, "ax"
	.word 0x20001000, start, stuck, stuck, stuck, stuck, stuck, 0, 0, 0, 0, stuck, stuck, 0, switching, stuck
	.word stuck, stuck, stuck, lower, stuck, upper

	.text
function stuck
	b stuck

function start
	ldr r4, =0xe000e100
	ldr r0, =(1 << 3 | 1 << 5)
	str r0, [r4]            /* NVIC_ISER0 */
	ldr r0, =0x40000000
	str r0, [r4, #0x300]    /* NVIC_IPR0: interrupt 3 below 5 */
	ldr r0, =0x00ff0000
	ldr r1, =0xe000ed20
	str r0, [r1]            /* SHPR3: PendSV below both */
again:
	bl leaf
	bl outer
	bl jumper
	movs r0, #3
	bl climbing
	bl hooking
	bl pending
	b again

function leaf               /* 3 */
	nop
	nop
	bx lr

function outer              /* 4, with leaf 7 */
	push {lr}
	bl leaf
	nop
	pop {pc}

function jumper             /* 2, with leaf 5 */
	nop
	b leaf

function climbing           /* 5 a level, 4 at the top: 14, 9, 4 */
	push {lr}
	subs r0, #1
	beq 1f
	bl climbing
1:	pop {pc}

function hook               /* 5 */
	nop
	nop
	nop
	nop
	bx lr

function hooking            /* 3 without the hook */
	push {lr}
	bl hook
	pop {pc}

function pending            /* 5; lower and switching come after its third */
	push {r0, lr}
	movs r0, #(1 << 3)
	str r0, [r4, #0x100]    /* NVIC_ISPR0 */
	nop
	pop {r0, pc}

function lower              /* 9; upper, 2 with the leaf's 3 and its own, comes after the third */
	push {r0, lr}
	movs r0, #(1 << 5)
	str r0, [r4, #0x100]
	bl leaf
	ldr r0, =0x10000000
	ldr r1, =0xe000ed04
	str r0, [r1]            /* ICSR: PendSV, which waits for the end of this one */
	nop
	pop {r0, pc}

function upper              /* 4, with leaf 7 */
	push {r0, lr}
	bl leaf
	nop
	pop {r0, pc}

function switching          /* 2 */
	nop
	bx lr
