package armv7m

import "testing"

// Parallel addition and subtraction, signed: DDI 0403E A5.3.13.
func TestParallelSigned(t *testing.T) {
	checkEncodings(t, []encoding{
		{"sadd16 r0, r1, r2", []uint16{0xfa91, 0xf002}, "r1=7fff0001 r2=1fffe", "r0=8000ffff ge=c"},
		{"sasx r0, r1, r2", []uint16{0xfaa1, 0xf002}, "r1=10005 r2=30002", "r0=30002 ge=f"},
		{"ssax r0, r1, r2", []uint16{0xfae1, 0xf002}, "r1=10005 r2=30002", "r0=ffff0008 ge=3"},
		{"ssub16 r0, r1, r2", []uint16{0xfad1, 0xf002}, "r1=10005 r2=30002", "r0=fffe0003 ge=3"},
		{"sadd8 r0, r1, r2", []uint16{0xfa81, 0xf002}, "r1=7f80ff01 r2=01ff01fe", "r0=807f00ff ge=a"},
		{"ssub8 r0, r1, r2", []uint16{0xfac1, 0xf002}, "r1=7f800001 r2=ff010001", "r0=807f0000 ge=b"},
		{"qadd16 r0, r1, r2", []uint16{0xfa91, 0xf012}, "r1=7fff8000 r2=1ffff ge=5", "r0=7fff8000 ge=5"},
		{"qasx r0, r1, r2", []uint16{0xfaa1, 0xf012}, "r1=7fff8000 r2=10001", "r0=7fff8000"},
		{"qsax r0, r1, r2", []uint16{0xfae1, 0xf012}, "r1=80007fff r2=10001", "r0=80007fff"},
		{"qsub16 r0, r1, r2", []uint16{0xfad1, 0xf012}, "r1=80007fff r2=1ffff", "r0=80007fff"},
		{"qadd8 r0, r1, r2", []uint16{0xfa81, 0xf012}, "r1=7f800102 r2=01ff0101", "r0=7f800203"},
		{"qsub8 r0, r1, r2", []uint16{0xfac1, 0xf012}, "r1=80 r2=1", "r0=80"},
		{"shadd16 r0, r1, r2", []uint16{0xfa91, 0xf022}, "r1=7fff0001 r2=7fffffff", "r0=7fff0000"},
		{"shasx r0, r1, r2", []uint16{0xfaa1, 0xf022}, "r1=20002 r2=40004", "r0=3ffff"},
		{"shsax r0, r1, r2", []uint16{0xfae1, 0xf022}, "r1=20002 r2=40004", "r0=ffff0003"},
		{"shsub16 r0, r1, r2", []uint16{0xfad1, 0xf022}, "r1=10000 r2=20000", "r0=ffff0000"},
		{"shadd8 r0, r1, r2", []uint16{0xfa81, 0xf022}, "r1=7f010080 r2=7f020080", "r0=7f010080"},
		{"shsub8 r0, r1, r2", []uint16{0xfac1, 0xf022}, "r1=00000010 r2=01000000", "r0=ff000008"},
	})
}

// Parallel addition and subtraction, unsigned: DDI 0403E A5.3.14.
func TestParallelUnsigned(t *testing.T) {
	checkEncodings(t, []encoding{
		{"uadd16 r0, r1, r2", []uint16{0xfa91, 0xf042}, "r1=ffff0001 r2=1fffe", "r0=ffff ge=c"},
		{"uasx r0, r1, r2", []uint16{0xfaa1, 0xf042}, "r1=10005 r2=30002", "r0=30002 ge=3"},
		{"usax r0, r1, r2", []uint16{0xfae1, 0xf042}, "r1=10005 r2=30002", "r0=ffff0008"},
		{"usax r0, r1, r2", []uint16{0xfae1, 0xf042}, "r1=1ffff r2=10001", "r0=0 ge=f"},
		{"usub16 r0, r1, r2", []uint16{0xfad1, 0xf042}, "r1=10005 r2=30005", "r0=fffe0000 ge=3"},
		{"uadd8 r0, r1, r2", []uint16{0xfa81, 0xf042}, "r1=ff800001 r2=01800001", "r0=2 ge=c"},
		{"usub8 r0, r1, r2", []uint16{0xfac1, 0xf042}, "r1=00010203 r2=01010303", "r0=ff00ff00 ge=5"},
		{"uqadd16 r0, r1, r2", []uint16{0xfa91, 0xf052}, "r1=ffff0001 r2=10001 ge=f", "r0=ffff0002 ge=f"},
		{"uqasx r0, r1, r2", []uint16{0xfaa1, 0xf052}, "r1=ffff0000 r2=10001", "r0=ffff0000"},
		{"uqsax r0, r1, r2", []uint16{0xfae1, 0xf052}, "r1=0ffff r2=10001", "r0=ffff"},
		{"uqsub16 r0, r1, r2", []uint16{0xfad1, 0xf052}, "r1=10005 r2=20001", "r0=4"},
		{"uqadd8 r0, r1, r2", []uint16{0xfa81, 0xf052}, "r1=ff0001fe r2=01010101", "r0=ff0102ff"},
		{"uqsub8 r0, r1, r2", []uint16{0xfac1, 0xf052}, "r1=00020100 r2=01010101", "r0=10000"},
		{"uhadd16 r0, r1, r2", []uint16{0xfa91, 0xf062}, "r1=ffff0001 r2=ffff0002", "r0=ffff0001"},
		{"uhasx r0, r1, r2", []uint16{0xfaa1, 0xf062}, "r1=40000 r2=20002", "r0=3ffff"},
		{"uhsax r0, r1, r2", []uint16{0xfae1, 0xf062}, "r1=4 r2=20004", "r0=fffe0003"},
		{"uhsub16 r0, r1, r2", []uint16{0xfad1, 0xf062}, "r1=40000 r2=20002", "r0=1ffff"},
		{"uhadd8 r0, r1, r2", []uint16{0xfa81, 0xf062}, "r1=ff0000ff r2=ff000001", "r0=ff000080"},
		{"uhsub8 r0, r1, r2", []uint16{0xfac1, 0xf062}, "r1=00000004 r2=01000002", "r0=ff000001"},
	})
}
