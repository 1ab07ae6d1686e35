// Hand-written functions that describe themselves: those of the first half
// with call frame information, those of the second with ARM's unwinding tables.
	.syntax unified
	.thumb
	.cfi_sections .debug_frame, .eh_frame
	.text

	.macro function name
	.global \name
	.type \name, %function
	.thumb_func
\name:
	.endm
	.macro ends name
	.size \name, . - \name
	.endm

	function cfi_frame
	.cfi_startproc
	push {r4, r5, r6, lr}
	.cfi_def_cfa_offset 16
	.cfi_offset r4, -16
	.cfi_offset r5, -12
	.cfi_offset r6, -8
	.cfi_offset lr, -4
	mov r4, r0
	mov r5, r1
	blx r5
	adds r6, r0, r4
	mov r0, r6
	blx r5
	adds r0, r0, r6
	pop {r4, r5, r6, pc}
	.cfi_endproc
	ends cfi_frame

	function cfi_locals
	.cfi_startproc
	push {r4, lr}
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r4, 0
	.cfi_rel_offset lr, 4
	sub sp, #40
	.cfi_adjust_cfa_offset 40
	str r0, [sp, #28]
	mov r4, r1
	blx r4
	ldr r1, [sp, #28]
	adds r0, r0, r1
	add sp, #40
	.cfi_adjust_cfa_offset -40
	pop {r4, pc}
	.cfi_endproc
	ends cfi_locals

	function cfi_pointer
	.cfi_startproc
	push {r4, r7, lr}
	.cfi_def_cfa_offset 12
	.cfi_offset r4, -12
	.cfi_offset r7, -8
	.cfi_offset lr, -4
	mov r7, sp
	.cfi_def_cfa_register r7
	mov r3, sp
	subs r3, r3, r2
	mov sp, r3
	str r0, [r3]
	mov r4, r3
	blx r1
	ldr r1, [r4]
	adds r0, r0, r1
	mov sp, r7
	.cfi_def_cfa_register sp
	pop {r4, r7, pc}
	.cfi_endproc
	ends cfi_pointer

	function cfi_states
	.cfi_startproc
	push {r4, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset r4, -8
	.cfi_offset lr, -4
	cmp r0, #0
	bne 1f
	.cfi_remember_state
	pop {r4}
	.cfi_restore r4
	.cfi_def_cfa_offset 4
	pop {r3}
	.cfi_restore lr
	.cfi_register lr, r3
	.cfi_def_cfa_offset 0
	bx r3
1:
	.cfi_restore_state
	mov r4, r1
	blx r4
	blx r4
	pop {r4, pc}
	.cfi_endproc
	ends cfi_states

	function cfi_link_kept
	.cfi_startproc
	push {r4, r5}
	.cfi_def_cfa_offset 8
	.cfi_offset r4, -8
	.cfi_offset r5, -4
	mov r4, lr
	.cfi_register lr, r4
	mov r5, r1
	blx r5
	adds r0, #1
	mov lr, r4
	.cfi_restore lr
	pop {r4, r5}
	.cfi_restore r4
	.cfi_restore r5
	.cfi_def_cfa_offset 0
	bx lr
	.cfi_endproc
	ends cfi_link_kept

// The CFA by an expression: r4 + 24, and the return address behind it.
	function cfi_expression
	.cfi_startproc
	push {r4, r5, r6, lr}
	.cfi_def_cfa_offset 16
	.cfi_offset r4, -16
	.cfi_offset r5, -12
	.cfi_offset r6, -8
	.cfi_offset lr, -4
	sub sp, #8
	.cfi_def_cfa_offset 24
	mov r4, sp
	.cfi_escape 0x0f, 0x02, 0x74, 0x18 // DW_CFA_def_cfa_expression: DW_OP_breg4 24
	mov r5, r1
	sub sp, #16
	blx r5
	blx r5
	mov sp, r4
	add sp, #8
	.cfi_def_cfa sp, 16
	pop {r4, r5, r6, pc}
	.cfi_endproc
	ends cfi_expression

	function tables_frame
	.fnstart
	.save {r4, r5, r6, lr}
	push {r4, r5, r6, lr}
	mov r4, r0
	mov r5, r1
	blx r5
	adds r6, r0, r4
	mov r0, r6
	blx r5
	adds r0, r0, r6
	pop {r4, r5, r6, pc}
	.fnend
	ends tables_frame

	function tables_locals
	.fnstart
	.save {r4, lr}
	push {r4, lr}
	.pad #304
	sub sp, #304
	str r0, [sp, #28]
	mov r4, r1
	blx r4
	ldr r1, [sp, #28]
	adds r0, r0, r1
	add sp, #304
	pop {r4, pc}
	.fnend
	ends tables_locals

	function tables_pointer
	.fnstart
	.save {r4, r7, lr}
	push {r4, r7, lr}
	.setfp r7, sp
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
	.fnend
	ends tables_pointer

// More opcodes than fit into the index: an entry in .ARM.extab.
	function tables_many
	.fnstart
	.save {r0, r1, r2, r3}
	push {r0, r1, r2, r3}
	.save {r4, r5, r6, lr}
	push {r4, r5, r6, lr}
	.pad #1044
	ldr r4, =-1044
	add sp, r4
	mov r5, r1
	blx r5
	blx r5
	ldr r4, =1044
	add sp, r4
	pop {r4, r5, r6}
	pop {r3}
	add sp, #16
	bx r3
	.pool
	.fnend
	ends tables_many

	function tables_high
	.fnstart
	.save {r4, r5, r6, r7, lr}
	push {r4, r5, r6, r7, lr}
	mov r4, r8
	mov r5, r9
	mov r6, r10
	mov r7, r11
	.save {r8, r9, r10, r11}
	push {r4, r5, r6, r7}
	mov r8, r0
	mov r9, r1
	blx r1
	mov r10, r0
	mov r0, r8
	blx r9
	add r0, r10
	pop {r4, r5, r6, r7}
	mov r8, r4
	mov r9, r5
	mov r10, r6
	mov r11, r7
	pop {r4, r5, r6, r7, pc}
	.fnend
	ends tables_high

	function tables_arguments
	.fnstart
	.pad #16
	push {r0, r1, r2, r3}
	.save {r4, lr}
	push {r4, lr}
	ldr r0, [sp, #16]
	mov r4, r1
	blx r4
	pop {r4}
	pop {r3}
	add sp, #16
	bx r3
	.fnend
	ends tables_arguments
