package cortexm

import (
	"context"
	"errors"
	"fmt"

	"github.com/mprof/mprof/cortexm/romtable"
	"github.com/mprof/mprof/probe"
)

// Identification registers (ARMv7-M ARM B3.2, C1.8, C1.11; ARMv8-M ARM D1.2).
const (
	addrDFSR    = 0xE000ED30
	addrPFR1    = 0xE000ED44 // Security in bits 7 to 4, from ARMv8-M on
	addrMPUTYPE = 0xE000ED90 // DREGION in bits 15 to 8
	addrMVFR0   = 0xE000EF40 // single precision in bits 7 to 4, double in 11 to 8
	addrDAUTH   = 0xE000EFB8 // SNID, SID, NSNID, NSID of two bits each, highest first
	addrFPCTRL  = 0xE0002000 // NUM_CODE in bits 14 to 12 and 7 to 4

	sSDE uint32 = 1 << 20 // DHCSR: secure debug enabled
)

// Known is an answer that may not be had.
type Known string

const (
	Yes     Known = "yes"
	No      Known = "no"
	Unknown Known = "unknown"
)

func known(b bool) Known {
	if b {
		return Yes
	}
	return No
}

// Inspection is what a core says of itself.
type Inspection struct {
	CPUID       uint32 `json:"cpuid"`
	Core        string `json:"core"`
	FPU         string `json:"fpu"` // "none", "single precision", "single and double precision"
	TrustZone   bool   `json:"trustzone"`
	MPURegions  int    `json:"mpu_regions"`
	Breakpoints int    `json:"breakpoints"`
	Watchpoints int    `json:"watchpoints"`
	CYCCNT      Known  `json:"cyccnt"`
	PCSR        Known  `json:"pcsr"`
	State       State  `json:"state"`

	// Components is the tree of ROM tables; nil where BASE names none.
	Components *romtable.Component `json:"-"`
}

// State is what the core is doing.
type State struct {
	Halted       bool   `json:"halted"`
	By           string `json:"halted_by,omitempty"` // reason in DFSR
	Sleeping     bool   `json:"sleeping"`
	LockedUp     bool   `json:"locked_up"`
	DebugEnabled bool   `json:"debug_enabled"` // C_DEBUGEN: somebody debugs it
	SecureDebug  Known  `json:"secure_debug"`
}

// Inspect looks at the core behind p without stopping it or taking it over; base
// is BASE of its access port. DEMCR.TRCENA is set for a moment where it is clear,
// because the DWT answers only then. A register that faults counts as not there.
func Inspect(ctx context.Context, p *probe.Probe, base uint32) (i Inspection, err error) {
	r := &inspector{ctx: ctx, p: p}
	i.CPUID = r.word(addrCPUID)
	i.Core = (&Core{cpuid: i.CPUID}).Description()
	i.FPU = fpuName(r.word(addrMVFR0))
	i.TrustZone = r.word(addrPFR1)>>4&0xF != 0
	i.MPURegions = int(r.word(addrMPUTYPE) >> 8 & 0xFF)
	fp := r.word(addrFPCTRL)
	i.Breakpoints = int(fp>>12&7<<4 | fp>>4&0xF)
	i.State = r.state(i.TrustZone)
	r.trace(&i)
	if r.err != nil {
		return i, fmt.Errorf("cortexm: inspect: %w", r.err)
	}
	if !romtable.None(base) {
		i.Components, err = romtable.Walk(ctx, targetMemory{p}, base)
	}
	return i, err
}

// inspector reads registers until the wire fails.
type inspector struct {
	ctx context.Context
	p   *probe.Probe
	err error
}

// word reads a register; 0 where the bus says that it is not there.
func (r *inspector) word(addr uint32) uint32 {
	if r.err != nil {
		return 0
	}
	v, err := r.p.ReadWord(r.ctx, addr)
	var refused *probe.TransferError
	if errors.As(err, &refused) && refused.Ack == probe.FAULT {
		return 0
	}
	r.err = err
	return v
}

// state reads DHCSR, and DFSR for the reason of a halt.
func (r *inspector) state(trustZone bool) State {
	v := r.word(addrDHCSR)
	s := State{
		Halted: v&sHalt != 0, Sleeping: v&sSleep != 0, LockedUp: v&sLockup != 0, DebugEnabled: v&cDebugEn != 0, SecureDebug: Unknown,
	}
	if s.Halted {
		s.By = haltReason(r.word(addrDFSR))
	}
	switch {
	case !trustZone:
	case s.DebugEnabled:
		s.SecureDebug = known(v&sSDE != 0)
	default:
		if sid := r.word(addrDAUTH) >> 4 & 3; sid >= 2 {
			s.SecureDebug = known(sid == 3)
		}
	}
	return s
}

// haltReason names the bits of DFSR (ARMv7-M ARM C1.6.1), which stay until they
// are cleared: the least likely to be old comes first.
func haltReason(dfsr uint32) string {
	for _, reason := range []struct {
		bit  uint32
		text string
	}{{1 << 3, "a vector catch"}, {1 << 2, "a watchpoint"}, {1 << 1, "a breakpoint"}, {1 << 4, "an external request"}, {1 << 0, "a debugger's request"}} {
		if dfsr&reason.bit != 0 {
			return reason.text
		}
	}
	return "an unknown reason"
}

// trace looks at the DWT.
func (r *inspector) trace(i *Inspection) {
	demcr := r.word(addrDEMCR)
	if r.err == nil && demcr&trcEna == 0 {
		r.err = r.p.WriteWord(r.ctx, addrDEMCR, demcr|trcEna)
		defer func() { r.err = errors.Join(r.err, r.putBack(demcr)) }()
	}
	ctrl := r.word(addrDWTCTRL) // NUMCOMP in bits 31 to 28, NOCYCCNT 25
	i.Watchpoints, i.CYCCNT, i.PCSR = int(ctrl>>28), known(ctrl != 0 && ctrl>>25&1 == 0), r.pcsr(i.State)
}

// putBack writes DEMCR as it was, over a new connection if need be.
func (r *inspector) putBack(demcr uint32) error {
	ctx := context.WithoutCancel(r.ctx)
	err := r.p.WriteWord(ctx, addrDEMCR, demcr)
	if err != nil && r.p.Recover(ctx) == nil {
		err = r.p.WriteWord(ctx, addrDEMCR, demcr)
	}
	return err
}

// pcsr reads DWT_PCSR a few times: all zero means that there is none, all ones
// that the core gives no PC now.
func (r *inspector) pcsr(s State) Known {
	const reads = 8
	for range reads {
		switch r.word(addrPCSR) {
		case 0:
		case 0xFFFFFFFF:
			if s.Halted {
				return Unknown
			}
		default:
			return Yes
		}
	}
	return No
}

func fpuName(mvfr0 uint32) string {
	switch {
	case mvfr0>>8&0xF != 0:
		return "single and double precision"
	case mvfr0>>4&0xF != 0:
		return "single precision"
	}
	return "none"
}

// targetMemory is the memory of a target for package romtable.
type targetMemory struct{ p *probe.Probe }

func (m targetMemory) ReadMemory(ctx context.Context, addr uint32, dst []byte) error {
	err := m.p.ReadMemory(ctx, addr, dst)
	var refused *probe.TransferError
	if errors.As(err, &refused) && refused.Ack == probe.FAULT {
		return fmt.Errorf("%w (%w)", err, romtable.ErrFault)
	}
	return err
}

// Measure finds out what the probe costs, by transfers that reach the debug port
// alone.
func Measure(ctx context.Context, p *probe.Probe, clock Clock) (Costs, error) {
	c := &Core{p: p}
	err := c.measure(ctx, clock)
	return c.costs, err
}
