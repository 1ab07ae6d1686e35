	.section .text.start, "ax"
	.globl	_start
	.type	_start, @function
_start:
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	la	sp, __stack
	la	tp, __tls
	la	t0, trap_entry
	csrw	mtvec, t0
	li	t0, 2			# SSIE: the software interrupt of S, which M takes here
	csrw	mie, t0
	csrsi	mstatus, 8
	call	main
	call	done
	.size	_start, . - _start

	.text
	# Two leaves and one that is none, by hand and without call frame information.
	.globl	asm_sum
	.type	asm_sum, @function
asm_sum:				# a0: words, a1: how many
	li	a2, 0
1:	beqz	a1, 2f
	lw	a3, 0(a0)
	add	a2, a2, a3
	addi	a0, a0, 4
	addi	a1, a1, -1
	j	1b
2:	mv	a0, a2
	ret
	.size	asm_sum, . - asm_sum

	.globl	asm_twice
	.type	asm_twice, @function
asm_twice:				# calls a0 with a1 twice
	addi	sp, sp, -16
	sw	ra, 12(sp)
	sw	s0, 8(sp)
	sw	s1, 4(sp)
	mv	s0, a0
	mv	s1, a1
	mv	a0, s1
	jalr	s0
	add	s1, s1, a0
	mv	a0, s1
	jalr	s0
	beqz	a0, 1f
	lw	s0, 8(sp)
	lw	s1, 4(sp)
	lw	ra, 12(sp)
	addi	sp, sp, 16
	ret
1:	lw	s0, 8(sp)		# another epilogue
	lw	s1, 4(sp)
	lw	ra, 12(sp)
	addi	sp, sp, 16
	tail	asm_zero
	.size	asm_twice, . - asm_twice

	.globl	asm_zero
	.type	asm_zero, @function
asm_zero:
	li	a0, 7
	ret
	.size	asm_zero, . - asm_zero

#ifdef TRAP_BY_HAND
	# Saves what a call may change, and mepc and mstatus, so that traps may nest.
	.globl	trap_entry
	.type	trap_entry, @function
	.balign	4
trap_entry:
	addi	sp, sp, -80
	sw	ra, 76(sp)
	sw	t0, 72(sp)
	sw	t1, 68(sp)
	sw	t2, 64(sp)
	sw	a0, 60(sp)
	sw	a1, 56(sp)
	sw	a2, 52(sp)
	sw	a3, 48(sp)
	sw	a4, 44(sp)
	sw	a5, 40(sp)
	sw	a6, 36(sp)
	sw	a7, 32(sp)
	sw	t3, 28(sp)
	sw	t4, 24(sp)
	sw	t5, 20(sp)
	sw	t6, 16(sp)
	csrr	t0, mepc
	sw	t0, 12(sp)
	csrr	t1, mstatus
	sw	t1, 8(sp)
	csrci	mip, 2
	csrsi	mstatus, 8
	call	tick
	csrci	mstatus, 8
	lw	t0, 12(sp)
	csrw	mepc, t0
	lw	t1, 8(sp)
	csrw	mstatus, t1
	lw	ra, 76(sp)
	lw	t0, 72(sp)
	lw	t1, 68(sp)
	lw	t2, 64(sp)
	lw	a0, 60(sp)
	lw	a1, 56(sp)
	lw	a2, 52(sp)
	lw	a3, 48(sp)
	lw	a4, 44(sp)
	lw	a5, 40(sp)
	lw	a6, 36(sp)
	lw	a7, 32(sp)
	lw	t3, 28(sp)
	lw	t4, 24(sp)
	lw	t5, 20(sp)
	lw	t6, 16(sp)
	addi	sp, sp, 80
	mret
	.size	trap_entry, . - trap_entry
#endif
