package profile

import (
	"math"
	"testing"
	"time"
)

// partsProfile has three functions, main > work > leaf, whose samples come in bursts.
func partsProfile(count int) *Profile {
	p := &Profile{Duration: time.Second}
	for i, name := range []string{"main", "work", "leaf"} {
		p.Functions = append(p.Functions, Function{Name: name})
		p.Frames = append(p.Frames, Frame{Function: FunctionIndex(i), Symbol: None})
		p.Stacks = append(p.Stacks, Stack{Prefix: StackIndex(i - 1), Frame: FrameIndex(i)})
	}
	track := ThreadTrack{Name: "Core 0"}
	for i := range 400 {
		s := Sample{Time: time.Duration(i) * time.Second / 400, Weight: time.Millisecond, Count: count, Stack: StackIndex(i / 50 % 3)}
		track.Samples = append(track.Samples, s)
	}
	p.Threads = []ThreadTrack{track}
	return p
}

// selfAndTotal are the parts that Top counts, too: 2f and 2f+1 of function f.
func selfAndTotal(p *Profile) func(int, StackIndex) []int32 {
	return func(_ int, at StackIndex) (parts []int32) {
		for s, f := range p.Callers(at) {
			if s == at {
				parts = append(parts, int32(2*f.Function))
			}
			parts = append(parts, int32(2*f.Function+1))
		}
		return parts
	}
}

// Parts of functions have the numbers and errors of Top, whether samples are independent or
// were taken in blocks; and so they have across the bound of what is counted at once.
func TestPartsAreThoseOfTop(t *testing.T) {
	for _, count := range []int{1, 7} {
		p := partsProfile(count)
		if p.InBlocks() != (count > 1) {
			t.Fatal("blocks")
		}
		for _, shift := range []int32{0, batchedParts - 3} {
			in := selfAndTotal(p)
			parts := p.Parts(6+int(shift), func(track int, s StackIndex) []int32 {
				out := in(track, s)
				for i := range out {
					out[i] += shift
				}
				return out
			})[shift:]
			for _, e := range p.Top() {
				self, total := parts[2*e.Function], parts[2*e.Function+1]
				if self.Samples != e.Self || self.Weight != e.SelfTime || self.Share != e.SelfShare || total.Samples != e.Total || total.Share != e.TotalShare {
					t.Errorf("%d, %s: %+v, %+v, want %+v", count, e.Name, self, total, e)
				}
			}
		}
	}
	if one, many := partsProfile(1).Top()[1].SelfShare.Error, partsProfile(7).Top()[1].SelfShare.Error; many <= one {
		t.Errorf("bursts of 7 have the error %g, samples alone %g", many, one)
	}
}

// Of sums of blocks nothing is known of parts that are no functions: their errors are no numbers, above all not 0.
func TestPartsOfSums(t *testing.T) {
	p := partsProfile(7)
	p.Sums = p.Summed()
	for _, part := range p.Parts(6, selfAndTotal(p)) {
		if part.Samples == 0 || !math.IsNaN(part.Share.Error) {
			t.Errorf("%+v", part)
		}
	}
}
