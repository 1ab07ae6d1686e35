package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// What findAP reports, for callers that branch on it with errors.Is.
var (
	// ErrLocked: the target does not let debuggers at its memory.
	ErrLocked = errors.New("debug access is locked")
	// ErrNoCore: there is memory to debug and no Cortex-M core.
	ErrNoCore = errors.New("no Cortex-M core")
)

// addrCPUID is the identification register of the core (ARMv7-M ARM B3.2.3).
const addrCPUID = 0xE000ED00

// findAP chooses the access port: the one of the options, or the one of the
// core with number Options.Core, counted over the AHB-APs behind which CPUID can
// be read. Where the debug port was chosen by that number, its first core.
func (p *Probe) findAP(ctx context.Context) error {
	p.ap = accessPort{v6: dpVersion(p.dpidr) >= 3}
	if p.options.AP != nil {
		return p.useAP(ctx, *p.options.AP)
	}
	s := apSearch{p: p, want: p.options.Core}
	if t := p.targetsel; t != nil && p.options.TARGETSEL == nil && *t&targetMask == targetRP2040 {
		s.want = 0
	}
	found, err := p.walk(ctx, func(index, idr uint32) (bool, error) { return s.visit(ctx, index, idr) })
	if err != nil || found {
		return err
	}
	p.ap.idr = 0
	return s.failure()
}

// apSearch looks for one core.
type apSearch struct {
	p      *Probe
	want   int
	cores  int
	first  error // of the first AHB-AP without a core
	others []string
}

// visit tries one port.
func (s *apSearch) visit(ctx context.Context, index, idr uint32) (found bool, err error) {
	p := s.p
	name := fmt.Sprintf("0x%x (IDR 0x%08x)", index, idr)
	if !isAHB(idr) {
		s.others = append(s.others, name)
		return false, nil
	}
	p.ap = accessPort{v6: p.ap.v6, index: index, idr: idr}
	problem, err := p.lookForCore(ctx, name)
	if err != nil {
		return false, err
	}
	switch {
	case problem != nil && s.first == nil:
		s.first = problem
	case problem != nil:
	case s.cores == s.want:
		return true, nil
	default:
		s.cores++
	}
	return false, nil
}

// lookForCore reads CPUID through p.ap. problem says why there is none; err is
// of the wire.
func (p *Probe) lookForCore(ctx context.Context, name string) (problem, err error) {
	var refused *TransferError
	if err := p.setUpAP(ctx); err != nil {
		if errors.Is(err, ErrLocked) || errors.As(err, &refused) && refused.Ack == FAULT {
			return err, nil
		}
		return nil, err
	}
	cpuid, err := p.ReadWord(ctx, addrCPUID)
	switch {
	case errors.As(err, &refused) && (refused.Ack == FAULT || refused.Ack == WAIT) && p.inReset:
		return fmt.Errorf("probe: access port %s: read CPUID while nRESET is low: %w (%w)", name, refused, ErrNoTarget), nil
	case errors.As(err, &refused) && (refused.Ack == FAULT || refused.Ack == WAIT):
		return fmt.Errorf("probe: access port %s: read CPUID: %w (%w)", name, refused, ErrLocked), nil
	case err != nil:
		return nil, err
	case cpuid == 0 || cpuid == 0xFFFFFFFF:
		return fmt.Errorf("probe: access port %s: CPUID reads 0x%08x: %w", name, cpuid, ErrNoCore), nil
	}
	return nil, nil
}

// failure says why the core was not found.
func (s *apSearch) failure() error {
	switch {
	case s.cores > 0:
		return fmt.Errorf("probe: core %d: the target has %d that can be debugged, numbered from 0: %w", s.want, s.cores, ErrNoCore)
	case s.first != nil:
		return s.first
	case len(s.others) == 0:
		return fmt.Errorf("probe: the debug port has no access port: %w", ErrLocked)
	}
	return fmt.Errorf("probe: no access port is an AHB-AP: %s: %w", strings.Join(s.others, ", "), ErrNoCore)
}

// useAP checks the port that the options name.
func (p *Probe) useAP(ctx context.Context, index uint32) error {
	p.ap.index = index
	idr, err := p.readID(ctx, index)
	if err != nil {
		return err
	}
	if idrClass(idr) != idrClassMEM {
		return fmt.Errorf("probe: access port 0x%x is no MEM-AP (IDR 0x%08x)", index, idr)
	}
	p.ap.idr = idr
	return nil
}

// AccessPort is one access port of the target.
type AccessPort struct {
	Index uint32 // number (ADIv5) or address (ADIv6)
	IDR   uint32
	BASE  uint32 // debug base address on its bus; 0 where it is no MEM-AP
}

// Kind names the port by class and type of its IDR.
func (a AccessPort) Kind() string {
	switch {
	case idrClass(a.IDR) == 0 && idrType(a.IDR) == 0:
		return "JTAG-AP"
	case idrClass(a.IDR) == 1:
		return "COM-AP"
	case idrClass(a.IDR) != idrClassMEM:
		return "vendor's AP"
	}
	names := map[uint32]string{1: "AHB-AP (AHB3)", 2: "APB-AP", 4: "AXI-AP", 5: "AHB-AP (AHB5)", 6: "APB-AP (APB4)", 7: "AXI-AP (AXI5)", 8: "AHB-AP (AHB5, HPROT)"}
	if name, ok := names[idrType(a.IDR)]; ok {
		return name
	}
	return "MEM-AP"
}

// AccessPorts lists all ports of the debug port. The one in use stays so.
func (p *Probe) AccessPorts(ctx context.Context) (all []AccessPort, err error) {
	_, err = p.walk(ctx, func(index, idr uint32) (bool, error) {
		a := AccessPort{Index: index, IDR: idr}
		var err error
		if idrClass(idr) == idrClassMEM {
			port := accessPort{index: index, v6: p.ap.v6}
			a.BASE, err = p.readPort(ctx, port.selectWord(BankID)|0x8)
		}
		all = append(all, a)
		return false, err
	})
	p.Invalidate()
	return all, err
}
