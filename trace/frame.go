package trace

import "bytes"

// framer finds packets in a stream. A header may be false, and the packets behind
// it must not wait for the bytes that it promises: while a packet is
// incomplete, its inside is searched for others, and the first that is complete
// and right wins.
//
// What is wrong may be right by chance. Noise needs a header (2 bytes), a CRC (2)
// and an end (1) for it: one packet in 2^40 bytes; 1 in 43 of them has a type
// that is known, 1 in 3584 is of PROFILE_DATA with whole records. A packet that lost
// bytes needs a CRC and an end, 2^-24; one whose bytes were changed, its length
// and end left, needs a CRC, 2^-16, unless the change is one that a CRC always
// finds (16 bits in a row; with 0x1021 any three bits within 4 KiB).
//
// Each byte is looked at once as a header. A header that finds its end costs a CRC
// over its packet, 12 of them in detect; a stream in which that is more than
// workPerByte, which none is but by intent, loses packets by it.
type framer struct {
	limit  int // of the payload, bytes
	packet func(payload []byte)
	lost   func(n int) // bytes that belong to no packet, in the order of the stream

	buf  []byte
	read int    // buf[:read] is done with
	scan int    // headers are searched from here on
	open []span // headers in front of scan whose packets are incomplete
	work int    // bytes that CRCs may be taken over

	variant Variant // the one that is right, or was
	fixed   bool    // it was given
	locked  bool    // nothing else is tried
	detection
}

// newFramer finds packets with payloads up to limit; a nil variant is detected.
func newFramer(limit int, v *Variant) framer {
	f := framer{limit: limit}
	if v != nil {
		f.variant, f.fixed, f.locked = *v, true, true
	}
	f.startDetection()
	return f
}

// span is where a packet begins and ends in framer.buf.
type span struct{ start, end int }

// chunk is how many bytes are searched at a time.
const chunk = 64 << 10

const (
	workPerByte = 64
	maxWork     = 2 * chunk * workPerByte
)

// write takes bytes and reports what they complete.
func (f *framer) write(p []byte) {
	if f.buf == nil {
		f.buf = make([]byte, 0, chunk+max(f.hold(), f.limit+frameHead+frameTail))
	}
	for len(p) > 0 {
		if f.read == len(f.buf) || len(f.buf) == cap(f.buf) {
			f.compact()
		}
		n := min(len(p), cap(f.buf)-len(f.buf))
		f.buf = append(f.buf, p[:n]...)
		p = p[n:]
		f.work = min(f.work+n*workPerByte, maxWork)
		f.search()
	}
}

// compact makes room behind the bytes that are not done with.
func (f *framer) compact() {
	n := copy(f.buf, f.buf[f.read:])
	f.buf = f.buf[:n]
	f.scan -= f.read
	for i := range f.open {
		f.open[i].start -= f.read
		f.open[i].end -= f.read
	}
	f.forget(f.read)
	f.read = 0
}

// flush gives up the packets that are incomplete.
func (f *framer) flush() {
	f.open = f.open[:0]
	f.scan = len(f.buf)
	f.release(f.keep(f.scan))
}

// close gives up all bytes.
func (f *framer) close() {
	f.startDetection()
	f.flush()
}

// search reports the packets that are complete, and lets go of the bytes that are
// done with.
func (f *framer) search() {
	for {
		f.searchOpen()
		f.searchNew()
		done := f.scan
		if len(f.open) > 0 {
			done = f.open[0].start
		}
		if f.locked && !f.fixed && f.silent+done-f.read > maxSilent {
			f.unlock()
			continue
		}
		f.release(f.keep(done))
		return
	}
}

// searchNew judges what begins at scan and behind it.
func (f *framer) searchNew() {
	for {
		i := f.nextHeader()
		if i < 0 {
			return
		}
		n := int(f.buf[i+2]) | int(f.buf[i+3])<<8
		f.scan = i + 1
		if n == 0 || n > f.limit {
			continue
		}
		p := span{i, i + frameHead + n + frameTail}
		if p.end > len(f.buf) {
			f.open = append(f.open, p)
			continue
		}
		f.try(p)
	}
}

// searchOpen judges the packets that were incomplete and no longer are.
func (f *framer) searchOpen() {
	for i := 0; i < len(f.open); {
		p := f.open[i]
		if p.end > len(f.buf) {
			i++
			continue
		}
		f.open = append(f.open[:i], f.open[i+1:]...)
		if f.try(p) {
			return
		}
	}
}

// nextHeader is the next header at or behind scan with its length, or -1; then
// scan is where the next bytes may complete one.
func (f *framer) nextHeader() int {
	h0, h1 := f.variant.header()
	for {
		b := f.buf[f.scan:]
		if len(b) < frameHead {
			return -1
		}
		if b[0] == h0 && b[1] == h1 || !f.locked && b[0] == h1 && b[1] == h0 {
			return f.scan
		}
		b = b[1:]
		n := bytes.IndexByte(b, h0)
		if !f.locked {
			if n < 0 {
				n = len(b)
			}
			if m := bytes.IndexByte(b[:n], h1); m >= 0 {
				n = m
			}
		}
		if n < 0 {
			n = len(b)
		}
		f.scan += 1 + n
	}
}

// try judges a complete packet, reports it if it is right, and searches on behind
// it.
func (f *framer) try(p span) bool {
	b := f.buf[p.start:p.end]
	if b[len(b)-1] != frameEnd || !f.afford(len(b)) {
		return false
	}
	if f.locked {
		end := len(b) - frameTail
		if f.variant.crc(b[:end]) == [2]byte(b[end:]) {
			f.accept(p)
			return true
		}
		f.fail(b)
		return false
	}
	return f.detect(p)
}

// afford takes the CRCs of a packet of n bytes from the work that is allowed.
func (f *framer) afford(n int) bool {
	if !f.locked {
		n *= int(numCRCs) * int(numCoverages)
	}
	if n > f.work {
		return false
	}
	f.work -= n
	return true
}

// accept reports a packet and what was lost before it.
func (f *framer) accept(p span) {
	f.open = f.open[:0]
	f.release(p.start)
	f.silent, f.failed = 0, 0
	f.packet(f.buf[p.start+frameHead : p.end-frameTail])
	f.read, f.scan = p.end, p.end
}

// release reports the bytes up to end as lost.
func (f *framer) release(end int) {
	if n := end - f.read; n > 0 {
		f.read = end
		f.silent += n
		f.lost(n)
	}
}
