package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// Debug ports that share one wire (SWD protocol version 2, ADIv5.2 section
// B4.3.4) are told apart by TARGETSEL: TINSTANCE in bits 31 to 28, TPARTNO and
// TDESIGNER below, as in TARGETID.
const (
	targetRP2040 uint32 = 0x01002927 // core 0; core 1 is instance 1
	targetRP2350 uint32 = 0x00040927 // both cores behind one port
	rescueRP2040 uint32 = 0xF1002927 // resets the chip when its debug power is requested

	targetMask = 0x0FFFFFFF // TARGETID without TREVISION
)

// DP banks at address 4 (ADIv5.2 section B2.2, ADIv6 section B2.2).
const (
	bankTARGETID = 2
	bankDLPIDR   = 3
	bankSELECT1  = 5
)

// errRescue refuses the one port that does harm.
var errRescue = fmt.Errorf("probe: TARGETSEL 0x%08x is the rescue port of the RP2040, which resets the chip; its cores are 0x%08x and 0x%08x",
	rescueRP2040, targetRP2040, targetRP2040|1<<28)

// targetOfCore is the TARGETSEL of a core of a chip that has a port for each.
func targetOfCore(target uint32, core int) (uint32, error) {
	if target == targetRP2040 && (core < 0 || core > 1) {
		return 0, fmt.Errorf("probe: core %d: the RP2040 has cores 0 and 1: %w", core, ErrNoCore)
	}
	if target == targetRP2040 {
		target |= uint32(core) << 28
	}
	return target, nil
}

// addressees are the values of TARGETSEL to try, nil for none: what the options
// say, or what was found when the probe was opened. At first nobody knows: a
// lone port answers without, the RP2040 does not.
func (p *Probe) addressees() ([]*uint32, error) {
	if t := p.options.TARGETSEL; t != nil {
		if *t == rescueRP2040 {
			return nil, errRescue
		}
		return []*uint32{t}, nil
	}
	if p.dpidr != 0 {
		return []*uint32{p.targetsel}, nil
	}
	all := []*uint32{nil}
	for _, known := range []uint32{targetRP2040, targetRP2350} {
		t, err := targetOfCore(known, p.options.Core)
		if err != nil {
			t = known // to say so once it has answered
		}
		all = append(all, &t)
	}
	return all, nil
}

// TARGETSEL is the value that selects the debug port on a wire with several;
// ok is false where it was not needed.
func (p *Probe) TARGETSEL() (v uint32, ok bool) {
	if p.targetsel == nil {
		return 0, false
	}
	return *p.targetsel, true
}

// selectTarget writes TARGETSEL, right after a line reset: 8 bits of request, 5
// cycles in which nobody acknowledges, 33 of data, idle cycles. A DAP_Transfer
// would end at the missing acknowledge, so it is DAP_SWD_Sequence (1D) that does
// it. Where the probe has none, DAP_SWJ_Sequence drives the 5 cycles, too: no
// port drives the wire then.
func (p *Probe) selectTarget(ctx context.Context, target uint32) error {
	const request = 0x99 // start, DP, write, A[3:2] = 3, parity 0, stop, park
	parity := byte(bits.OnesCount32(target) & 1)
	if !p.noSequence {
		q := append(p.scratch[:0], cmdSWDSequence, 3, 8, request, 0x80|5, 40)
		r, err := p.command(ctx, append(binary.LittleEndian.AppendUint32(q, target), parity))
		switch {
		case err != nil:
			return err
		case r[0] == cmdSWDSequence && len(r) >= 3 && r[1] == 0:
			return nil
		case r[0] == cmdSWDSequence:
			return fmt.Errorf("probe: %w", badResponse("DAP_SWD_Sequence", r))
		}
		p.noSequence = true // a sequence that was refused clocked nothing
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], request|0x1F<<8|uint64(target)<<13|uint64(parity)<<45)
	return p.sequence(ctx, b[:7])
}

// checkTarget makes sure, before debug power is requested, that the port that
// answers is the one meant. Without TARGETSEL it may be all of an RP2040 at
// once: then errShared names the one to select.
func (p *Probe) checkTarget(ctx context.Context) error {
	if dpVersion(p.dpidr) < 2 {
		return nil
	}
	if t := p.targetsel; t != nil {
		v, err := p.readBank(ctx, bankDLPIDR)
		if err == nil && v>>28 != *t>>28 {
			err = fmt.Errorf("probe: TARGETSEL 0x%08x: instance %d answers (DLPIDR 0x%08x)", *t, v>>28, v)
		}
		if err == nil && p.options.TARGETSEL == nil {
			_, err = targetOfCore(*t&targetMask, p.options.Core)
		}
		return err
	}
	id, err := p.readBank(ctx, bankTARGETID)
	if err != nil || id&targetMask != targetRP2040 {
		return err
	}
	t, err := targetOfCore(targetRP2040, p.options.Core)
	if err != nil {
		return err
	}
	p.targetsel = &t
	return errShared
}

// errShared: several ports answer at once.
var errShared = errors.New("probe: several debug ports answer without TARGETSEL")

// DebugPort identifies the debug port.
type DebugPort struct {
	DPIDR uint32
	// TARGETID and DLPIDR are there from DPv2 on.
	TARGETID, DLPIDR uint32
}

// Version is DPIDR.VERSION: 1 and 2 are ADIv5, 3 is ADIv6.
func (d DebugPort) Version() int { return int(dpVersion(d.DPIDR)) }

// readBank reads DP address 4 in a bank. It asks for no power.
func (p *Probe) readBank(ctx context.Context, bank uint32) (uint32, error) {
	p.Invalidate()
	a, err := p.transfer(ctx, Req{WriteSELECT, bank}, Req{Op: ReadCTRLSTAT}, Req{WriteSELECT, 0})
	if err != nil {
		return 0, err
	}
	return a.Data[0], nil
}

// DebugPort reads what identifies the debug port.
func (p *Probe) DebugPort(ctx context.Context) (d DebugPort, err error) {
	d.DPIDR = p.dpidr
	if dpVersion(p.dpidr) < 2 {
		return d, nil
	}
	if d.TARGETID, err = p.readBank(ctx, bankTARGETID); err == nil {
		d.DLPIDR, err = p.readBank(ctx, bankDLPIDR)
	}
	return d, err
}
