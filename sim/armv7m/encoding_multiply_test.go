package armv7m

import "testing"

// Multiply and accumulate: DDI 0403E A5.3.16, A5.3.17. The results are worked out by hand.
func TestMultiply(t *testing.T) {
	checkEncodings(t, []encoding{
		{"mul r0, r1, r2", []uint16{0xfb01, 0xf002}, "r1=10000 r2=10001 N C", "r0=10000 same"},
		{"mla r0, r1, r2, r3", []uint16{0xfb01, 0x3002}, "r1=3 r2=5 r3=ffffffff", "r0=e"},
		{"mls r0, r1, r2, r3", []uint16{0xfb01, 0x3012}, "r1=3 r2=5 r3=a", "r0=fffffffb"},
		{"smull r0, r1, r2, r3", []uint16{0xfb82, 0x0103}, "r2=ffffffff r3=2", "r0=fffffffe r1=ffffffff"},
		{"umull r0, r1, r2, r3", []uint16{0xfba2, 0x0103}, "r2=ffffffff r3=2", "r0=fffffffe r1=1"},
		{"smlal r0, r1, r2, r3", []uint16{0xfbc2, 0x0103}, "r0=2 r1=0 r2=ffffffff r3=3", "r0=ffffffff r1=ffffffff"},
		{"umlal r0, r1, r2, r3", []uint16{0xfbe2, 0x0103}, "r0=ffffffff r1=0 r2=1 r3=1", "r0=0 r1=1"},
		{"umaal r0, r1, r2, r3", []uint16{0xfbe2, 0x0163}, "r0=ffffffff r1=ffffffff r2=ffffffff r3=ffffffff", "r0=ffffffff r1=ffffffff"},
		{"sdiv r0, r1, r2", []uint16{0xfb91, 0xf0f2}, "r1=fffffff9 r2=2", "r0=fffffffd"},
		{"sdiv r0, r1, r2", []uint16{0xfb91, 0xf0f2}, "r1=80000000 r2=ffffffff", "r0=80000000"},
		{"sdiv r0, r1, r2", []uint16{0xfb91, 0xf0f2}, "r0=5 r1=7 r2=0", "r0=0"},
		{"udiv r0, r1, r2", []uint16{0xfbb1, 0xf0f2}, "r1=fffffff9 r2=2", "r0=7ffffffc"},
		{"udiv r0, r1, r2", []uint16{0xfbb1, 0xf0f2}, "r1=5 r2=6", "r0=0"},
	})
}

// Multiplies of halfwords, dual and high-word multiplies: DDI 0403E A4.4.3.
func TestMultiplyHalves(t *testing.T) {
	checkEncodings(t, []encoding{
		{"smulbb r0, r1, r2", []uint16{0xfb11, 0xf002}, "r1=10003 r2=2ffff", "r0=fffffffd"},
		{"smulbt r0, r1, r2", []uint16{0xfb11, 0xf012}, "r1=10003 r2=2ffff", "r0=6"},
		{"smultb r0, r1, r2", []uint16{0xfb11, 0xf022}, "r1=10003 r2=2ffff", "r0=ffffffff"},
		{"smultt r0, r1, r2", []uint16{0xfb11, 0xf032}, "r1=10003 r2=2ffff", "r0=2"},
		{"smlabb r0, r1, r2, r3", []uint16{0xfb11, 0x3002}, "r1=8000 r2=8000 r3=40000000", "r0=80000000 Q"},
		{"smlatt r0, r1, r2, r3", []uint16{0xfb11, 0x3032}, "r1=20000 r2=30000 r3=4", "r0=a"},
		{"smulwb r0, r1, r2", []uint16{0xfb31, 0xf002}, "r1=10000 r2=8000", "r0=ffff8000"},
		{"smulwt r0, r1, r2", []uint16{0xfb31, 0xf012}, "r1=10000 r2=20000", "r0=2"},
		{"smlawb r0, r1, r2, r3", []uint16{0xfb31, 0x3002}, "r1=ffffffff r2=1 r3=0", "r0=ffffffff"},
		{"smlawt r0, r1, r2, r3", []uint16{0xfb31, 0x3012}, "r1=7fffffff r2=7fff0000 r3=7fffffff", "r0=bfff7ffe Q"},
		{"smuad r0, r1, r2", []uint16{0xfb21, 0xf002}, "r1=20003 r2=40005", "r0=17"},
		{"smuadx r0, r1, r2", []uint16{0xfb21, 0xf012}, "r1=20003 r2=40005", "r0=16"},
		{"smuad r0, r1, r2", []uint16{0xfb21, 0xf002}, "r1=80008000 r2=80008000", "r0=80000000 Q"},
		{"smlad r0, r1, r2, r3", []uint16{0xfb21, 0x3002}, "r1=20003 r2=40005 r3=1", "r0=18"},
		{"smladx r0, r1, r2, r3", []uint16{0xfb21, 0x3012}, "r1=20003 r2=40005 r3=1", "r0=17"},
		{"smusd r0, r1, r2", []uint16{0xfb41, 0xf002}, "r1=20003 r2=40005", "r0=7"},
		{"smusdx r0, r1, r2", []uint16{0xfb41, 0xf012}, "r1=20003 r2=40005", "r0=2"},
		{"smlsd r0, r1, r2, r3", []uint16{0xfb41, 0x3002}, "r1=20003 r2=40005 r3=fffffff9", "r0=0"},
		{"smlsdx r0, r1, r2, r3", []uint16{0xfb41, 0x3012}, "r1=20003 r2=40005 r3=80000000", "r0=80000002"},
		{"smmul r0, r1, r2", []uint16{0xfb51, 0xf002}, "r1=40000000 r2=2", "r0=0"},
		{"smmulr r0, r1, r2", []uint16{0xfb51, 0xf012}, "r1=40000000 r2=2", "r0=1"},
		{"smmul r0, r1, r2", []uint16{0xfb51, 0xf002}, "r1=80000000 r2=80000000", "r0=40000000"},
		{"smmla r0, r1, r2, r3", []uint16{0xfb51, 0x3002}, "r1=40000000 r2=4 r3=5", "r0=6"},
		{"smmlar r0, r1, r2, r3", []uint16{0xfb51, 0x3012}, "r1=40000000 r2=2 r3=5", "r0=6"},
		{"smmls r0, r1, r2, r3", []uint16{0xfb61, 0x3002}, "r1=40000000 r2=1 r3=5", "r0=4"},
		{"smmlsr r0, r1, r2, r3", []uint16{0xfb61, 0x3012}, "r1=40000000 r2=1 r3=5", "r0=5"},
		{"usad8 r0, r1, r2", []uint16{0xfb71, 0xf002}, "r1=01ff0003 r2=02010500", "r0=107"},
		{"usada8 r0, r1, r2, r3", []uint16{0xfb71, 0x3002}, "r1=01ff0003 r2=02010500 r3=1", "r0=108"},
		{"smlalbb r0, r1, r2, r3", []uint16{0xfbc2, 0x0183}, "r0=1 r1=0 r2=ffff r3=2", "r0=ffffffff r1=ffffffff"},
		{"smlaltb r0, r1, r2, r3", []uint16{0xfbc2, 0x01a3}, "r0=1 r1=0 r2=30000 r3=2", "r0=7 r1=0"},
		{"smlald r0, r1, r2, r3", []uint16{0xfbc2, 0x01c3}, "r0=1 r1=0 r2=20003 r3=40005", "r0=18"},
		{"smlaldx r0, r1, r2, r3", []uint16{0xfbc2, 0x01d3}, "r0=1 r1=0 r2=20003 r3=40005", "r0=17"},
		{"smlald r0, r1, r2, r3", []uint16{0xfbc2, 0x01c3}, "r0=0 r1=0 r2=80008000 r3=80008000", "r0=80000000 r1=0"},
		{"smlsld r0, r1, r2, r3", []uint16{0xfbd2, 0x01c3}, "r0=1 r1=0 r2=20003 r3=40005", "r0=8"},
		{"smlsldx r0, r1, r2, r3", []uint16{0xfbd2, 0x01d3}, "r0=1 r1=0 r2=30002 r3=50004", "r0=ffffffff r1=ffffffff"},
	})
}
