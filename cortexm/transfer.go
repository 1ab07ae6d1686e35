package cortexm

import (
	"encoding/binary"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// meaning says what a word is that comes back from a transfer.
type meaning uint8

const (
	statusBefore  meaning = iota // DHCSR before the halt
	statusHalted                 // DHCSR between a DCRSR write and its DCRDR read: checks that register
	registerValue                // DCRDR
	swiftValue                   // DCRDR of a register that a later one stands for
	stackWord                    // the next word of the window at arg
	sharedWord                   // the word at arg from the tail of the selected alternative
	statusAfter                  // DHCSR after the resume
	haltStamp                    // probe clock at the halt
	resumeStamp                  // probe clock at the resume
)

type mark struct {
	meaning meaning
	arg     uint32
}

// transfer is one DAP_Transfer: the probe does its requests in order until one
// fails, so it is also the unit that a failed value match skips.
type transfer struct {
	reqs   []probe.Req
	reads  []mark // of the plain reads, in order
	stamps []mark
	role   role
	arg    int // which alternative, for the roles that have several
	block  int // instead of reqs: words to read from DRW, as DAP_TransferBlock

	sure  int    // requests before the value match of the alternative that goes on in it, 0: none
	lead  int    // SWD transfers before the value match
	delay uint16 // microseconds that the probe waits before it, as DAP_Delay

	short bool // words of its window were left out to keep the halt short

	answer probe.Answer
	err    error // nil: every request was done
}

// role says what the success or failure of a transfer decides.
type role uint8

const (
	roleOther     role = iota
	roleRegisters      // failure: there is no sample
	roleWindow         // value match, window, resume; failure is a match that failed, or a fault
	roleChain          // value match, PSP, window of the handler's stack: another window must follow
	roleSelect         // value match, start of the window
	roleShared         // rest of the selected window: after a TAR match and with a resume, or a block read
	roleResume         // resume
	roleGuard          // resume, whatever happened
)

func (t *transfer) write(op byte, v uint32) { t.reqs = append(t.reqs, probe.Req{Op: op, Data: v}) }

func (t *transfer) read(op byte, m mark) {
	t.reqs = append(t.reqs, probe.Req{Op: op})
	t.reads = append(t.reads, m)
}

// stamped is a write whose time the probe reports, where it has a clock.
func (t *transfer) stamped(op byte, v uint32, clock bool, m meaning) {
	if clock {
		op |= probe.Timestamp
		t.stamps = append(t.stamps, mark{meaning: m})
	}
	t.write(op, v)
}

// mask is kept by the probe and costs nothing on the wire.
func (t *transfer) mask(v uint32) {
	t.write(probe.WriteABORT|probe.MatchMask, v)
}

// masked is the mask write that t begins with, if it does.
func (t *transfer) masked() (mask uint32, ok bool) {
	if len(t.reqs) == 0 || t.reqs[0].Op != probe.WriteABORT|probe.MatchMask {
		return 0, false
	}
	return t.reqs[0].Data, true
}

// shareMasks drops mask writes that repeat the one before: the probe keeps it. A
// mask write is done whatever the match behind it says.
func shareMasks(all []*transfer) {
	var current uint32
	known := false
	for _, t := range all {
		mask, ok := t.masked()
		if ok && known && mask == current {
			t.reqs = t.reqs[1:]
			continue
		}
		for _, r := range t.reqs {
			if r.Op == probe.WriteABORT|probe.MatchMask {
				current, known = r.Data, true
			}
		}
	}
}

// join lets the requests of an alternative follow, which begins with a mask and a
// match.
func (t *transfer) join(o *transfer) {
	t.sure = len(t.reqs) + 1
	t.reqs = append(t.reqs, o.reqs...)
	t.reads = append(t.reads, o.reads...)
	t.stamps = append(t.stamps, o.stamps...)
	t.arg = o.arg
}

// match costs two SWD transfers when it holds, two plus the retries when not.
func (t *transfer) match(op byte, v uint32) {
	t.reqs = append(t.reqs, probe.Req{Op: op | probe.MatchValue, Data: v})
}

// mismatch tells whether t ended at a value match and nothing else was wrong.
func (t *transfer) mismatch() bool {
	return t.err != nil && t.answer.Ack&^probe.Mismatch == probe.OK && t.answer.Ack&probe.Mismatch != 0
}

// bytes in the request and, when all goes well, in the response.
func (t *transfer) bytes() (request, response int) {
	if t.block > 0 {
		return 5, 4 + 4*t.block
	}
	request, response = 3, 3
	if t.delay > 0 {
		request, response = request+2+3, response+2+2 // and the header of DAP_ExecuteCommands
	}
	for _, r := range t.reqs {
		request += r.RequestLen()
		response += r.ResponseLen()
	}
	return request, response
}

// decode hands every word that certainly came back to f, in order.
func (t *transfer) decode(f func(m mark, v uint32)) {
	for i, v := range t.answer.Stamps {
		if i < len(t.stamps) {
			f(t.stamps[i], v)
		}
	}
	for i, v := range t.answer.Data {
		if i < len(t.reads) {
			f(t.reads[i], v)
		}
	}
}

// readRegister is the checked read (cmsis-dap.md section 3): DCRSR selects,
// DHCSR says whether the value is ready and the core still halted, DCRDR holds
// it. 4 SWD transfers.
func (t *transfer) readRegister(r snapshot.Reg) {
	t.write(probe.WriteBD1, uint32(r))
	t.read(probe.ReadBD0, mark{statusHalted, uint32(r)})
	t.read(probe.ReadBD2, mark{registerValue, uint32(r)})
}

// fetchRegister takes it that the value is ready: 3 SWD transfers.
func (t *transfer) fetchRegister(r snapshot.Reg) {
	t.write(probe.WriteBD1, uint32(r))
	t.read(probe.ReadBD2, mark{swiftValue, uint32(r)})
}

// readWindow reads words from low up to high through DRW, and sets TAR anew
// where the increment may wrap. SELECT is bankMemory; n+1 SWD transfers and one
// for each TAR.
func (t *transfer) readWindow(low, high uint32) {
	for a := low; a < high; a += 4 {
		if a == low || a%tarWrap == 0 {
			t.write(probe.WriteTAR, a)
		}
		t.read(probe.ReadDRW, mark{stackWord, a})
	}
}

// encode appends the command.
func (t *transfer) encode(dst []byte) []byte {
	if t.delay > 0 {
		dst = probe.AppendDelay(dst, t.delay)
	}
	if t.block > 0 {
		return probe.AppendTransferBlock(dst, probe.ReadDRW, t.block, nil)
	}
	return probe.AppendTransfer(dst, t.reqs)
}

// parse takes the response off p. What the target refused is in t.err; the
// error means that p is no response to t.
func (t *transfer) parse(p []byte) (rest []byte, err error) {
	if t.delay > 0 {
		if p, err = probe.ParseDelay(p); err != nil {
			return nil, err
		}
	}
	if t.block > 0 {
		rest, t.err = probe.ParseTransferBlock(p, probe.ReadDRW, t.block, &t.answer)
	} else {
		rest, t.err = probe.ParseTransfer(p, t.reqs, &t.answer)
	}
	if rest == nil && t.err != nil {
		return nil, t.err
	}
	return rest, nil
}

func appendWord(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }
