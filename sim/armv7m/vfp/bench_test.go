package vfp

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkArithmetic is the cost of one operation on ordinary numbers.
func BenchmarkArithmetic(b *testing.B) {
	r := rand.New(rand.NewPCG(15, 16))
	var x [256]uint32
	for i := range x {
		x[i] = 0x3e000000 + r.Uint32N(1<<25) | r.Uint32()&signBit
	}
	var f FPSCR
	for _, op := range []struct {
		name string
		do   func(a, b uint32) uint32
	}{
		{"Add", f.Add}, {"Mul", f.Mul}, {"Div", f.Div},
		{"MulAdd", func(a, b uint32) uint32 { return f.MulAdd(a, a, b) }},
		{"Sqrt", func(a, b uint32) uint32 { return f.Sqrt(a &^ signBit) }},
		{"ToFixed", func(a, b uint32) uint32 { return f.ToFixed(a, 32, 0, false, true) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			sum := uint32(0)
			for i := range b.N {
				sum += op.do(x[i&255], x[(i>>3)&255])
			}
			x[0] ^= sum & 1
		})
	}
}
