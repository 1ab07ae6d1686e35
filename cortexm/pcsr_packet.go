package cortexm

import (
	"errors"
	"slices"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// DWT (ARMv7-M ARM, C1.8.1).
const (
	addrDWTCTRL = 0xE0001000
	addrPCSR    = 0xE000101C
)

// cswStill is CSW for words and a TAR that stays (ADIv5.2 section C2.6.4).
const cswStill uint32 = 0x02

// pcPacket is one packet of a PCSampler. TAR is at PCSR before and after it.
type pcPacket struct {
	n       int           // PCs asked for
	checked bool          // DHCSR is read before them
	both    bool          // and after them
	delay   time.Duration // the probe waits before
	wrapped bool          // in DAP_ExecuteCommands, with the delay
	work    time.Duration // of the probe

	raw      []byte
	reqs     []probe.Req
	answer   probe.Answer
	response []byte
}

// block makes it a plain block.
func (p *pcPacket) block(l pcLayout, n int) {
	*p = pcPacket{n: n, work: l.work(n), raw: p.raw[:0], reqs: p.reqs[:0], answer: p.answer, response: p.response}
	p.raw = probe.AppendTransferBlock(p.raw, probe.ReadDRW, n, nil)
}

// wait makes it a plain block behind a delay.
func (p *pcPacket) wait(l pcLayout, n int, d time.Duration) {
	p.block(l, n)
	p.delay, p.wrapped = d, true
	p.work += d + l.command
	p.raw = probe.AppendDelay(probe.AppendExecute(p.raw[:0], 2), uint16(d/time.Microsecond))
	p.raw = probe.AppendTransferBlock(p.raw, probe.ReadDRW, n, nil)
}

// pause makes it a delay and nothing else.
func (p *pcPacket) pause(l pcLayout, d time.Duration) {
	*p = pcPacket{delay: d, work: l.command + d, raw: p.raw[:0], reqs: p.reqs[:0], answer: p.answer, response: p.response}
	p.raw = probe.AppendDelay(p.raw, uint16(d/time.Microsecond))
}

// check makes it a block behind a read of DHCSR, behind a delay where d is not 0;
// both has DHCSR read after it, too.
func (p *pcPacket) check(l pcLayout, n int, d time.Duration, both bool) {
	*p = pcPacket{n: n, checked: true, both: both, delay: d, wrapped: d > 0, raw: p.raw[:0], reqs: p.reqs[:0], answer: p.answer, response: p.response}
	p.work = l.work(n) + l.checkWork() + d
	p.readDHCSR()
	for range n {
		p.reqs = append(p.reqs, probe.Req{Op: probe.ReadDRW})
	}
	if both {
		p.readDHCSR()
		p.work += l.checkWork()
	}
	if p.wrapped {
		p.raw = probe.AppendDelay(probe.AppendExecute(p.raw, 2), uint16(d/time.Microsecond))
	}
	p.raw = probe.AppendTransfer(p.raw, p.reqs)
}

// readDHCSR takes 4 SWD transfers, with the RDBUFF before TAR is written again.
func (p *pcPacket) readDHCSR() {
	p.reqs = append(p.reqs, probe.Req{Op: probe.WriteTAR, Data: addrDHCSR}, probe.Req{Op: probe.ReadDRW}, probe.Req{Op: probe.WriteTAR, Data: addrPCSR})
}

// pcRead is what came back from one packet.
type pcRead struct {
	pcs           []uint32
	lost          int
	miss          snapshot.Miss
	checked, both bool
	before, after uint32 // DHCSR
	strayed       bool   // TAR may be elsewhere: what is under way is no PC

	first, end   time.Duration // when the first PC was read, and the packet done
	work, weight time.Duration
	spacing      time.Duration
}

// read takes the response of the packet apart. What came before a transfer that
// the target refused is kept, but for a padded response, which does not say where
// it ends.
func (p *pcPacket) read(packetSize int) *pcRead {
	r := &pcRead{work: p.work}
	response, err := p.unwrap()
	switch {
	case err != nil:
	case p.n == 0:
		_, err = probe.ParseDelay(response)
	case p.checked:
		err = p.readChecked(r, response)
	default:
		_, err = probe.ParseTransferBlock(response, probe.ReadDRW, p.n, &p.answer)
		r.pcs = p.answer.Data
	}
	r.pcs = slices.Clone(r.pcs)
	if err == nil {
		return r
	}
	var refused *probe.TransferError
	if !errors.As(err, &refused) || len(p.response) >= packetSize {
		r.pcs, r.checked, r.both = nil, false, false
	}
	r.miss, r.lost = missOf(&transfer{err: err}), p.n-len(r.pcs)
	r.strayed = p.checked || r.miss != snapshot.TargetWait
	return r
}

// drop makes nothing of what was read.
func (r *pcRead) drop(asked int, m snapshot.Miss) {
	r.pcs, r.checked, r.both, r.lost, r.miss = nil, false, false, asked, m
}

// unwrap takes the delay off.
func (p *pcPacket) unwrap() (response []byte, err error) {
	if !p.wrapped {
		return p.response, nil
	}
	if response, err = probe.ParseExecute(p.response, 2); err != nil {
		return nil, err
	}
	return probe.ParseDelay(response)
}

// readChecked takes the words of a DAP_Transfer apart: DHCSR, PCs, DHCSR.
func (p *pcPacket) readChecked(r *pcRead, response []byte) (err error) {
	_, err = probe.ParseTransfer(response, p.reqs, &p.answer)
	data := p.answer.Data
	if len(data) == 0 {
		return err
	}
	r.checked, r.before, data = true, data[0], data[1:]
	if r.before&dhcsrZero != 0 { // no DHCSR: TAR did not go where it was sent
		r.checked = false
		return errors.Join(err, errStrayed)
	}
	if len(data) > p.n {
		r.both, r.after, data = true, data[p.n], data[:p.n]
	}
	r.pcs = data
	return err
}

var errStrayed = errors.New("cortexm: a word that is not DHCSR was read at its address")
