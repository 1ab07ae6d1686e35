package trace

// detection is the search for the variant of a target. A packet tells little:
// with 48 variants, one in 1400 packets of a variant is right in a second one,
// too. So a variant must be right for two packets before its packets are
// reported; all that was held until then is reported, too. The variant that was right
// before (at first that of docs/trace-protocol.md) is believed at once.
type detection struct {
	hits   [numVariants]uint8
	held   int // where the first packet begins that one of hits counts; -1: none
	failed int // packets in a row that have a wrong CRC and look right otherwise
	silent int // bytes since the last packet

	wrongCRC uint64 // as failed, all of them
}

const (
	// enough packets in a row prove a variant.
	enough = 2
	// maxFailed packets in a row, or maxSilent bytes without one, and the target
	// may have been exchanged. Nothing is lost if it was not.
	maxFailed = 8
	maxSilent = 4 << 10
)

// hold is how many bytes wait for a second packet of their variant: two of the
// largest, and as much between them.
func (f *framer) hold() int {
	if f.fixed {
		return 0
	}
	return 2 * enough * (f.limit + frameHead + frameTail)
}

func (f *framer) startDetection() {
	f.hits = [numVariants]uint8{}
	f.held = -1
}

// keep is up to where bytes are done with, if done is where no packet begins
// before.
func (f *framer) keep(done int) int {
	if f.held >= 0 && len(f.buf)-f.held > f.hold() {
		f.startDetection()
	}
	if f.held >= 0 {
		return min(done, f.held)
	}
	return done
}

// forget n bytes at the start of the buffer.
func (f *framer) forget(n int) {
	if f.held >= 0 {
		f.held -= n
	}
}

// fail counts a packet with a wrong CRC.
func (f *framer) fail(packet []byte) {
	if !plausible(packet) {
		return
	}
	f.wrongCRC++
	if f.failed++; f.failed >= maxFailed && !f.fixed {
		f.unlock()
	}
}

// unlock begins to try all variants, with the bytes that are still there.
func (f *framer) unlock() {
	f.locked, f.failed = false, 0
	f.startDetection()
	f.open, f.scan = f.open[:0], f.read
}

// detect tries all variants on a complete packet.
func (f *framer) detect(p span) bool {
	b := f.buf[p.start:p.end]
	if !plausible(b) {
		return false
	}
	end := len(b) - frameTail
	crc := [2]byte(b[end:])
	if h0, _ := f.variant.header(); b[0] == h0 && f.variant.crc(b[:end]) == crc {
		n := f.hits[f.variant.index()] + 1
		f.startDetection()
		f.hits[f.variant.index()] = n
		f.accept(p)
		f.locked = n >= enough
		return true
	}
	fits := false
	for v := range littleVariants(b[0] == 0xAA) {
		little := v.crc(b[:end])
		for _, v.BigEndian = range [2]bool{false, true} {
			if little == crc {
				if f.hit(v, p.start) {
					return true
				}
				fits = true
			}
			little[0], little[1] = little[1], little[0]
		}
	}
	if !fits {
		f.wrongCRC++
	}
	return false
}

// hit counts a packet that is right in a variant. With enough of them the variant
// is locked, and the search begins again at the first byte that is there. That ends: when
// what stands there unlocks the variant, its first packet is believed at once.
func (f *framer) hit(v Variant, start int) bool {
	if f.held < 0 {
		f.held = start
	}
	i := v.index()
	if f.hits[i]++; f.hits[i] < enough {
		return false
	}
	f.unlock()
	f.variant, f.locked = v, true
	return true
}

// littleVariants is all with one header whose CRC is little-endian, likelier ones
// first.
func littleVariants(aa55 bool) func(yield func(Variant) bool) {
	return func(yield func(Variant) bool) {
		for c := CRC(0); c < numCRCs; c++ {
			for o := Coverage(0); o < numCoverages; o++ {
				if !yield(Variant{CRC: c, Over: o, AA55: aa55}) {
					return
				}
			}
		}
	}
}

// variantsOf is all that begin with a header byte, likelier ones first.
func variantsOf(h0 byte) func(yield func(Variant) bool) {
	return func(yield func(Variant) bool) {
		for v := range littleVariants(h0 == 0xAA) {
			for _, v.BigEndian = range [2]bool{false, true} {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// plausible tells whether a packet is of a type that targets send. Its body does
// not count: other firmware may have other ones, and that shall be seen.
func plausible(packet []byte) bool {
	return packet[frameHead] >= TypeACK && packet[frameHead] <= TypeProfileData2
}
