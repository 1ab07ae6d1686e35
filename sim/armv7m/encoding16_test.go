package armv7m

import "testing"

// Shift by a constant, add, subtract, move and compare: DDI 0403E A5.2.1.
func TestShiftAdd16(t *testing.T) {
	checkEncodings(t, []encoding{
		{"lsls r0, r1, #1", []uint16{0x0048}, "r1=80000001", "r0=2 C"},
		{"lsls r0, r1, #31", []uint16{0x07c8}, "r1=3", "r0=80000000 N C"},
		{"lsls r0, r1, #4", []uint16{0x0108}, "r1=10000000 V", "r0=0 Z C V"},
		{"movs r0, r1", []uint16{0x0008}, "r1=0 C V", "r0=0 Z C V"},
		{"lsrs r0, r1, #1", []uint16{0x0848}, "r1=80000001", "r0=40000000 C"},
		{"lsrs r0, r1, #32", []uint16{0x0808}, "r1=80000000", "r0=0 Z C"},
		{"lsrs r0, r1, #32", []uint16{0x0808}, "r1=7fffffff C", "r0=0 Z"},
		{"asrs r0, r1, #4", []uint16{0x1108}, "r1=80000008", "r0=f8000000 N C"},
		{"asrs r0, r1, #32", []uint16{0x1008}, "r1=80000000", "r0=ffffffff N C"},
		{"asrs r0, r1, #32", []uint16{0x1008}, "r1=7fffffff C", "r0=0 Z"},
		{"adds r0, r1, r2", []uint16{0x1888}, "r1=7fffffff r2=1", "r0=80000000 N V"},
		{"adds r0, r1, r2", []uint16{0x1888}, "r1=ffffffff r2=1", "r0=0 Z C"},
		{"adds r0, r1, r2", []uint16{0x1888}, "r1=80000000 r2=80000000", "r0=0 Z C V"},
		{"subs r0, r1, r2", []uint16{0x1a88}, "r1=5 r2=5", "r0=0 Z C"},
		{"subs r0, r1, r2", []uint16{0x1a88}, "r1=4 r2=5 C", "r0=ffffffff N"},
		{"subs r0, r1, r2", []uint16{0x1a88}, "r1=80000000 r2=1", "r0=7fffffff C V"},
		{"adds r0, r1, #7", []uint16{0x1dc8}, "r1=fffffffe", "r0=5 C"},
		{"subs r0, r1, #3", []uint16{0x1ec8}, "r1=2", "r0=ffffffff N"},
		{"movs r3, #255", []uint16{0x23ff}, "N C V", "r3=ff C V"},
		{"movs r3, #0", []uint16{0x2300}, "N C V", "r3=0 Z C V"},
		{"cmp r3, #200", []uint16{0x2bc8}, "r3=c8", "Z C"},
		{"cmp r3, #200", []uint16{0x2bc8}, "r3=80000000", "C V"},
		{"adds r3, #255", []uint16{0x33ff}, "r3=ffffff01", "r3=0 Z C"},
		{"subs r3, #1", []uint16{0x3b01}, "r3=0", "r3=ffffffff N"},
	})
}

// Data processing on two registers: DDI 0403E A5.2.2.
func TestDataProcessing16(t *testing.T) {
	checkEncodings(t, []encoding{
		{"ands r0, r1", []uint16{0x4008}, "r0=ff00 r1=0ff0 C V", "r0=f00 C V"},
		{"ands r0, r1", []uint16{0x4008}, "r0=f0 r1=f N C", "r0=0 Z C"},
		{"eors r0, r1", []uint16{0x4048}, "r0=ffffffff r1=7fffffff", "r0=80000000 N"},
		{"lsls r0, r1", []uint16{0x4088}, "r0=1 r1=1f", "r0=80000000 N"},
		{"lsls r0, r1", []uint16{0x4088}, "r0=3 r1=20", "r0=0 Z C"},
		{"lsls r0, r1", []uint16{0x4088}, "r0=3 r1=21 C", "r0=0 Z"},
		{"lsls r0, r1", []uint16{0x4088}, "r0=3 r1=100 C", "r0=3 C"},
		{"lsrs r0, r1", []uint16{0x40c8}, "r0=80000000 r1=20", "r0=0 Z C"},
		{"lsrs r0, r1", []uint16{0x40c8}, "r0=80000000 r1=21 C", "r0=0 Z"},
		{"lsrs r0, r1", []uint16{0x40c8}, "r0=18 r1=4", "r0=1 C"},
		{"asrs r0, r1", []uint16{0x4108}, "r0=80000000 r1=ff", "r0=ffffffff N C"},
		{"asrs r0, r1", []uint16{0x4108}, "r0=40000000 r1=20 C", "r0=0 Z"},
		{"adcs r0, r1", []uint16{0x4148}, "r0=ffffffff r1=0 C", "r0=0 Z C"},
		{"adcs r0, r1", []uint16{0x4148}, "r0=7fffffff r1=0 C", "r0=80000000 N V"},
		{"sbcs r0, r1", []uint16{0x4188}, "r0=5 r1=3", "r0=1 C"},
		{"sbcs r0, r1", []uint16{0x4188}, "r0=0 r1=0", "r0=ffffffff N"},
		{"sbcs r0, r1", []uint16{0x4188}, "r0=80000000 r1=0", "r0=7fffffff C V"},
		{"rors r0, r1", []uint16{0x41c8}, "r0=f r1=4", "r0=f0000000 N C"},
		{"rors r0, r1", []uint16{0x41c8}, "r0=80000000 r1=20", "r0=80000000 N C"},
		{"rors r0, r1", []uint16{0x41c8}, "r0=1 r1=0 C", "r0=1 C"},
		{"tst r0, r1", []uint16{0x4208}, "r0=1 r1=2 C V", "Z C V"},
		{"rsbs r0, r1, #0", []uint16{0x4248}, "r1=1", "r0=ffffffff N"},
		{"rsbs r0, r1, #0", []uint16{0x4248}, "r1=80000000", "r0=80000000 N V"},
		{"rsbs r0, r1, #0", []uint16{0x4248}, "r1=0", "r0=0 Z C"},
		{"cmp r0, r1", []uint16{0x4288}, "r0=7fffffff r1=ffffffff", "N V"},
		{"cmn r0, r1", []uint16{0x42c8}, "r0=ffffffff r1=1", "Z C"},
		{"orrs r0, r1", []uint16{0x4308}, "r0=1 r1=80000000", "r0=80000001 N"},
		{"muls r0, r1, r0", []uint16{0x4348}, "r0=10001 r1=10001 C V", "r0=20001 C V"},
		{"bics r0, r1", []uint16{0x4388}, "r0=ff r1=f", "r0=f0"},
		{"mvns r0, r1", []uint16{0x43c8}, "r1=ffffffff N C", "r0=0 Z C"},
	})
}

// High registers and branches by register: DDI 0403E A5.2.3.
func TestSpecial16(t *testing.T) {
	checkEncodings(t, []encoding{
		{"add r8, r1", []uint16{0x4488}, "r8=ffffffff r1=2 Z", "r8=1 Z"},
		{"add r0, pc", []uint16{0x4478}, "r0=10", "r0=114"},
		{"add sp, r1", []uint16{0x448d}, "r1=6", "sp=20008004"},
		{"add pc, r1", []uint16{0x448f}, "r1=10", "pc=114"},
		{"cmp r8, r1", []uint16{0x4588}, "r8=1 r1=2", "N"},
		{"mov r8, sp", []uint16{0x46e8}, "", "r8=20008000"},
		{"mov sp, r1", []uint16{0x468d}, "r1=20001003", "sp=20001000"},
		{"mov r0, pc", []uint16{0x4678}, "", "r0=104"},
		{"mov pc, r1", []uint16{0x468f}, "r1=200", "pc=200"},
		{"bx lr", []uint16{0x4770}, "lr=201", "pc=200"},
		{"blx r3", []uint16{0x4798}, "r3=301", "pc=300 lr=103"},
	})
}

// Loads and stores: DDI 0403E A5.2.4, A6.7; LDM, STM, PUSH, POP.
func TestMemory16(t *testing.T) {
	checkEncodings(t, []encoding{
		{"str r0, [r1, r2]", []uint16{0x5088}, "r0=12345678 r1=20000000 r2=10", "[20000010]=12345678"},
		{"strh r0, [r1, r2]", []uint16{0x5288}, "r0=12345678 r1=20000000 r2=12", "[20000010]=56780000"},
		{"strb r0, [r1, r2]", []uint16{0x5488}, "r0=12345678 r1=20000000 r2=13", "[20000010]=78000000"},
		{"ldrsb r0, [r1, r2]", []uint16{0x5688}, "r1=20000000 r2=11 [20000010]=1280ff00", "r0=ffffffff"},
		{"ldr r0, [r1, r2]", []uint16{0x5888}, "r1=20000000 r2=10 [20000010]=1280ff00", "r0=1280ff00"},
		{"ldrh r0, [r1, r2]", []uint16{0x5a88}, "r1=20000000 r2=12 [20000010]=f280ff00", "r0=f280"},
		{"ldrb r0, [r1, r2]", []uint16{0x5c88}, "r1=20000000 r2=12 [20000010]=f280ff00", "r0=80"},
		{"ldrsh r0, [r1, r2]", []uint16{0x5e88}, "r1=20000000 r2=12 [20000010]=f280ff00", "r0=fffff280"},
		{"str r0, [r1, #124]", []uint16{0x67c8}, "r0=5 r1=20000000", "[2000007c]=5"},
		{"ldr r0, [r1, #124]", []uint16{0x6fc8}, "r1=20000000 [2000007c]=6", "r0=6"},
		{"strb r0, [r1, #31]", []uint16{0x77c8}, "r0=5 r1=20000000", "[2000001c]=5000000"},
		{"ldrb r0, [r1, #31]", []uint16{0x7fc8}, "r1=20000000 [2000001c]=6000000", "r0=6"},
		{"strh r0, [r1, #62]", []uint16{0x87c8}, "r0=15555 r1=20000000", "[2000003c]=55550000"},
		{"ldrh r0, [r1, #62]", []uint16{0x8fc8}, "r1=20000000 [2000003c]=66660000", "r0=6666"},
		{"str r7, [sp, #8]", []uint16{0x9702}, "r7=9", "[20008008]=9"},
		{"ldr r7, [sp, #1020]", []uint16{0x9fff}, "[200083fc]=9", "r7=9"},
		{"ldr r0, [pc, #4]; nop; nop; nop; .word 0x11223344", []uint16{0x4801, 0xbf00, 0xbf00, 0xbf00, 0x3344, 0x1122}, "", "r0=11223344"},
		{"adr r0, . + 8", []uint16{0xa001}, "", "r0=108"},
		{"add r0, sp, #16", []uint16{0xa804}, "", "r0=20008010"},
		{"add sp, #8", []uint16{0xb002}, "", "sp=20008008"},
		{"sub sp, #508", []uint16{0xb0ff}, "", "sp=20007e04"},
		{"push {r0, r7, lr}", []uint16{0xb581}, "r0=1 r7=2 lr=3", "sp=20007ff4 [20007ff4]=1 [20007ff8]=2 [20007ffc]=3"},
		{"pop {r0, r7}", []uint16{0xbc81}, "sp=20007000 [20007000]=4 [20007004]=5", "r0=4 r7=5 sp=20007008"},
		{"pop {r1, pc}", []uint16{0xbd02}, "sp=20007000 [20007000]=4 [20007004]=205", "r1=4 pc=204 sp=20007008"},
		{"stmia r1!, {r0, r2}", []uint16{0xc105}, "r0=1 r1=20000000 r2=3", "r1=20000008 [20000000]=1 [20000004]=3"},
		{"ldmia r1!, {r0, r2}", []uint16{0xc905}, "r1=20000000 [20000000]=1 [20000004]=3", "r0=1 r1=20000008 r2=3"},
		{"ldmia r1, {r0, r1}", []uint16{0xc903}, "r1=20000000 [20000000]=1 [20000004]=3", "r0=1 r1=3"},
	})
}

// Miscellaneous and branches: DDI 0403E A5.2.5, A5.2.6, A5.2.7.
func TestMisc16(t *testing.T) {
	checkEncodings(t, []encoding{
		{"cbz r1, . + 20", []uint16{0xb141}, "", "pc=114"},
		{"cbz r1, . + 20", []uint16{0xb141}, "r1=1", ""},
		{"cbnz r1, . + 130", []uint16{0xbbf9}, "r1=1", "pc=182"},
		{"cbnz r1, . + 130", []uint16{0xbbf9}, "", ""},
		{"sxth r0, r1", []uint16{0xb208}, "r1=18000", "r0=ffff8000"},
		{"sxtb r0, r1", []uint16{0xb248}, "r1=17f", "r0=7f"},
		{"uxth r0, r1", []uint16{0xb288}, "r1=18000", "r0=8000"},
		{"uxtb r0, r1", []uint16{0xb2c8}, "r1=1ff", "r0=ff"},
		{"rev r0, r1", []uint16{0xba08}, "r1=11223344", "r0=44332211"},
		{"rev16 r0, r1", []uint16{0xba48}, "r1=11223344", "r0=22114433"},
		{"revsh r0, r1", []uint16{0xbac8}, "r1=11223384", "r0=ffff8433"},
		{"nop", []uint16{0xbf00}, "", ""},
		{"yield", []uint16{0xbf10}, "", ""},
		{"beq . + 10", []uint16{0xd003}, "Z", "pc=10a same"},
		{"beq . + 10", []uint16{0xd003}, "", ""},
		{"bne . - 20", []uint16{0xd1f4}, "", "pc=ec"},
		{"bcs . + 10", []uint16{0xd203}, "C", "pc=10a same"},
		{"bcc . + 10", []uint16{0xd303}, "C", "same"},
		{"bmi . + 10", []uint16{0xd403}, "N", "pc=10a same"},
		{"bpl . + 10", []uint16{0xd503}, "N", "same"},
		{"bvs . + 10", []uint16{0xd603}, "V", "pc=10a same"},
		{"bvc . + 10", []uint16{0xd703}, "V", "same"},
		{"bhi . + 10", []uint16{0xd803}, "C", "pc=10a same"},
		{"bhi . + 10", []uint16{0xd803}, "Z C", "same"},
		{"bls . + 10", []uint16{0xd903}, "Z C", "pc=10a same"},
		{"bge . + 10", []uint16{0xda03}, "N V", "pc=10a same"},
		{"blt . + 10", []uint16{0xdb03}, "N", "pc=10a same"},
		{"bgt . + 10", []uint16{0xdc03}, "Z", "same"},
		{"bgt . + 10", []uint16{0xdc03}, "N V", "pc=10a same"},
		{"ble . + 10", []uint16{0xdd03}, "V", "pc=10a same"},
		{"b . + 2000", []uint16{0xe3e6}, "", "pc=8d0"},
		{"b . - 200", []uint16{0xe79a}, "", "pc=38"},
	})
}

// IT blocks: DDI 0403E A7.3, A7.7.38. In a block 16-bit data processing sets no flags.
func TestITBlocks(t *testing.T) {
	checkEncodings(t, []encoding{
		{"it eq; addeq r0, r1, r2", []uint16{0xbf08, 0x1888}, "Z r1=1 r2=2", "r0=3 Z"},
		{"it eq; addeq r0, r1, r2", []uint16{0xbf08, 0x1888}, "r1=1 r2=2", ""},
		{"ite ne; movne r0, #1; moveq r0, #2", []uint16{0xbf14, 0x2001, 0x2002}, "", "r0=1"},
		{"ite ne; movne r0, #1; moveq r0, #2", []uint16{0xbf14, 0x2001, 0x2002}, "Z", "r0=2 Z"},
		{"ittee cs; movcs r0, #1; movcs r1, #2; movcc r2, #3; movcc r3, #4", []uint16{0xbf27, 0x2001, 0x2102, 0x2203, 0x2304}, "C", "r0=1 r1=2 C"},
		{"ittee cs; movcs r0, #1; movcs r1, #2; movcc r2, #3; movcc r3, #4", []uint16{0xbf27, 0x2001, 0x2102, 0x2203, 0x2304}, "", "r2=3 r3=4"},
		{"itt eq; cmpeq r0, #1; moveq r1, #5", []uint16{0xbf04, 0x2801, 0x2105}, "Z", "N"},
		{"itt eq; cmpeq r0, #0; moveq r1, #5", []uint16{0xbf04, 0x2800, 0x2105}, "Z", "r1=5 Z C"},
		{"it mi; lslmi.w r0, r1, #2", []uint16{0xbf48, 0xea4f, 0x0081}, "N r1=3", "r0=c N"},
		{"itttt al; mov r0, #1; mov r1, #2; mov r2, #3; mov r3, #4", []uint16{0xbfe1, 0x2001, 0x2102, 0x2203, 0x2304}, "", "r0=1 r1=2 r2=3 r3=4"},
	})
}
