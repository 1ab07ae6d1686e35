package probe

import (
	"encoding/binary"
	"fmt"
)

// MaxTransfers is how many requests one DAP_Transfer can hold: its count is a
// byte.
const MaxTransfers = 255

// AppendTransfer appends DAP_Transfer (05 00 n {op [data32]}). It panics above
// MaxTransfers, which is a mistake of the caller and never of the target.
func AppendTransfer(dst []byte, reqs []Req) []byte {
	if len(reqs) > MaxTransfers {
		panic(fmt.Sprintf("probe: %d requests in one DAP_Transfer", len(reqs)))
	}
	dst = append(dst, cmdTransfer, 0, byte(len(reqs)))
	for _, r := range reqs {
		dst = append(dst, r.Op)
		if r.carries() {
			dst = binary.LittleEndian.AppendUint32(dst, r.Data)
		}
	}
	return dst
}

// Answer is what came back from one DAP_Transfer.
type Answer struct {
	Count  int // transfers that the probe counts as done
	Ack    Ack // of the last one tried
	Data   []uint32
	Stamps []uint32
}

// reset empties a and keeps its buffers.
func (a *Answer) reset() { *a = Answer{Data: a.Data[:0], Stamps: a.Stamps[:0]} }

// ParseTransfer takes one DAP_Transfer response from the front of p and puts
// the words of the plain reads, in order, into a.Data and the timestamps into
// a.Stamps. It returns what follows the response.
//
// Where the target refused a transfer the error is a *TransferError, a holds
// what certainly came before it, and rest is still valid, so that the responses
// of later commands of a DAP_ExecuteCommands can be read. An AP read is counted
// when it is posted; its word comes with the next transfer, and when that one
// fails it may be missing. A word that cannot be told from what follows it is
// left out. A failure that brought fewer words than it counts leaves no data
// and no rest.
//
// A response that is cut, or that is not one, wraps ErrResponse; a is empty then.
func ParseTransfer(p []byte, reqs []Req, a *Answer) (rest []byte, err error) {
	a.reset()
	if len(p) < transferHeader || p[0] != cmdTransfer {
		return nil, badResponse("DAP_Transfer", p)
	}
	a.Count, a.Ack = int(p[1]), Ack(p[2])
	if a.Count > len(reqs) || a.Ack == OK && a.Count < len(reqs) {
		err := fmt.Errorf("DAP_Transfer: %d of %d transfers done with %s: %w", a.Count, len(reqs), a.Ack, ErrResponse)
		a.reset()
		return nil, err
	}
	c := words{p: p[transferHeader:]}
	posted := a.walk(reqs[:a.Count], &c)
	if a.Ack == OK {
		if posted {
			a.Data = append(a.Data, c.next())
		}
		if c.short {
			a.reset()
			return nil, badResponse("DAP_Transfer", p)
		}
		return c.p, nil
	}
	if posted && a.Count < len(reqs) && flushMayHaveWorked(reqs[a.Count]) && !looksLikeEnd(c.p) && len(c.p) >= 4 && looksLikeEnd(c.p[4:]) {
		a.Data = append(a.Data, c.next())
	}
	e := &TransferError{Ack: a.Ack, N: a.Count}
	if a.Count < len(reqs) {
		e.Reg = reqs[a.Count].Reg()
	} else if len(reqs) > 0 {
		e.Reg = reqs[len(reqs)-1].Reg()
	}
	if c.short { // the length rules: the probe sent less than it counted
		a.Data, a.Stamps, c.p = a.Data[:0], a.Stamps[:0], nil
	}
	return c.p, e
}

// walk collects what the counted transfers returned, except the word of a last
// read that is still posted; it says whether there is one.
func (a *Answer) walk(done []Req, c *words) (posted bool) {
	for _, r := range done {
		if posted {
			a.Data = append(a.Data, c.next())
		}
		if r.stamped() {
			a.Stamps = append(a.Stamps, c.next())
		}
		posted = r.posts()
		if r.returns() && !posted {
			a.Data = append(a.Data, c.next())
		}
		if c.short {
			return false
		}
	}
	return posted
}

// flushMayHaveWorked says whether the posted word before a failed request can
// have come: a plain AP read fetches it with its own transfer and a mask write
// does nothing else on the wire, so there it is the fetch that failed.
func flushMayHaveWorked(failed Req) bool {
	return !failed.posts() && (failed.Op&RnW != 0 || failed.Op&MatchMask == 0)
}

// looksLikeEnd says whether a response can end here: nothing follows, padding
// of a HID report, or the response of another transfer.
func looksLikeEnd(p []byte) bool {
	if len(p) >= transferHeader && p[0] == cmdTransfer {
		switch Ack(p[2]) &^ Mismatch {
		case OK, WAIT, FAULT, NoAck, Protocol:
			return true
		}
	}
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}

// words reads little-endian words and remembers when there were too few.
type words struct {
	p     []byte
	short bool
}

func (w *words) next() uint32 {
	if len(w.p) < 4 {
		w.short = true
		return 0
	}
	v := binary.LittleEndian.Uint32(w.p)
	w.p = w.p[4:]
	return v
}
