package vfp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNative compares results to nearest with those of this machine's
// processor, whose float32 is IEEE 754's too. NaNs differ by processor.
func TestNative(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 400_000
	if testing.Short() {
		n /= 10
	}
	for range n {
		a := operand(r)
		b := partner(r, a)
		z := partner(r, a)
		x, y, w := math.Float32frombits(a), math.Float32frombits(b), math.Float32frombits(z)
		var f FPSCR
		for _, op := range []struct {
			name string
			got  uint32
			want float32
		}{
			{"add", f.Add(a, b), x + y},
			{"sub", f.Sub(a, b), x - y},
			{"mul", f.Mul(a, b), x * y},
			{"div", f.Div(a, b), x / y},
			{"sqrt", f.Sqrt(a), float32(math.Sqrt(float64(x)))},
			{"add, then mul", f.Mul(f.Add(a, b), z), float32(x+y) * w},
		} {
			g := math.Float32frombits(op.got)
			if g != g && op.want != op.want {
				continue
			}
			if op.got != math.Float32bits(op.want) {
				t.Fatalf("%s of 0x%08x, 0x%08x, 0x%08x: 0x%08x, want 0x%08x", op.name, a, b, z, op.got, math.Float32bits(op.want))
			}
		}
	}
}
