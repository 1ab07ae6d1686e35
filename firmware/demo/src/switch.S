// The context switch. Call frame information tells a debugger at every
// instruction where the caller is.
	.syntax unified
	.cpu cortex-m4
	.thumb
	.cfi_sections .debug_frame
	.text

// PendSV_Handler saves r4-r11 below the exception frame on the process stack,
// lets kernel_switch choose, and returns into the context chosen.
	.section .text.PendSV_Handler, "ax", %progbits
	.global PendSV_Handler
	.type PendSV_Handler, %function
	.thumb_func
PendSV_Handler:
	.cfi_startproc
	mrs r0, psp
	stmdb r0!, {r4-r11}
	push {r3, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset lr, -4
	bl kernel_switch
	pop {r3, lr}
	.cfi_def_cfa_offset 0
	.cfi_restore lr
	ldmia r0!, {r4-r11}
	msr psp, r0
	bx lr
	.cfi_endproc
	.size PendSV_Handler, . - PendSV_Handler

// task_start is the outermost function of every task: r4 is the entry
// function, r0 its argument. Nothing called it, which its undefined return
// address says.
	.section .text.task_start, "ax", %progbits
	.global task_start
	.type task_start, %function
	.thumb_func
task_start:
	.cfi_startproc
	.cfi_undefined lr
	blx r4
	bl task_exit
	.cfi_endproc
	.size task_start, . - task_start

// kernel_adopt(handler_top) goes on with the caller's stack as process stack
// and gives exceptions a stack of their own.
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
