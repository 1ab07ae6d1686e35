// Package adi is the debug port and access port of the simulated target, as
// ADIv5.2 (ARM IHI 0031) describes them. In: bits or transfers on SWCLK and
// SWDIO. Out: acknowledges, register values, and accesses to the system bus.
package adi

// Acknowledges as the three bits read, first bit lowest (ADIv5.2, B4.2.1).
const (
	OK    uint8 = 1
	WAIT  uint8 = 2
	FAULT uint8 = 4
	NoAck uint8 = 7 // nobody drives the line; the pull-up reads as ones
)

// Request bits in CMSIS-DAP's order, which is the order on the wire.
const (
	APnDP uint8 = 1 << iota
	RnW
	A2
	A3
)

// CTRL/STAT bits (ADIv5.2, B2.2.2).
const (
	ORUNDETECT   uint32 = 1 << 0
	STICKYORUN   uint32 = 1 << 1
	STICKYCMP    uint32 = 1 << 4
	STICKYERR    uint32 = 1 << 5
	READOK       uint32 = 1 << 6
	WDATAERR     uint32 = 1 << 7
	CDBGPWRUPREQ uint32 = 1 << 28
	CDBGPWRUPACK uint32 = 1 << 29
	CSYSPWRUPREQ uint32 = 1 << 30
	CSYSPWRUPACK uint32 = 1 << 31

	sticky = STICKYORUN | STICKYCMP | STICKYERR | WDATAERR
)

// Bus is what the access port masters. size is 1, 2 or 4 bytes, addresses are
// aligned to it; data are in the low bits. ok false is an error response.
type Bus interface {
	Read(addr uint32, size int) (v uint32, ok bool)
	Write(addr uint32, size int, v uint32) (ok bool)
}

// Config describes the port. Zero values take a Cortex-M4-like part.
type Config struct {
	Bus      Bus
	DPIDR    uint32 // 0: 0x0be12477, a DPv2 with MINDP (no pushed operations, no transaction counter)
	TARGETID uint32 // 0: 0x04d50477
	IDR      uint32 // of AP 0; 0: 0x24770011, the AHB-AP of Cortex-M3 and M4
	BASE     uint32 // debug base address of AP 0; 0: 0xe00ff003
	Dormant  bool   // the port powers up dormant and not in JTAG mode
	// TARBlock is how many bytes TAR counts within, a power of two; 0: 1 KiB,
	// the least that there is (ADIv5.2, C2.2.2).
	TARBlock uint32

	// Ports are the access ports, nil: AP 0 with Bus, IDR and BASE. A port with
	// none is there for Powered alone. With a DPIDR of version 3 they are
	// at addresses, and a ROM table at 0 lists them (ADIv6).
	Ports []AccessPort
	// Instance is DLPIDR.TINSTANCE. Multidrop: after a line reset the port is
	// silent until TARGETSEL names it. Powered is called when debug power is
	// requested: a rescue port acts on that.
	Instance  uint32
	Multidrop bool
	Powered   func()
	NoPower   bool // requests for power are not acknowledged
	// NoLegacySwitch: the sequences between JTAG and SWD that ADIv6 deprecates
	// are not understood.
	NoLegacySwitch bool

	// Cycles is the clock of the system, nil stands still. AccessCycles is how
	// long one memory access keeps the AP busy (the port answers WAIT until
	// then), PowerUpCycles how long an acknowledge of CTRL/STAT takes.
	Cycles        func() uint64
	AccessCycles  uint64
	PowerUpCycles uint64
}

// Port is one SW-DP with its access ports.
type Port struct {
	cfg     Config
	ctrl    uint32 // CTRL/STAT: request, enable and sticky bits
	sel     uint32 // SELECT
	dlcr    uint32
	result  uint32 // of the AP read before, which the next one returns
	resend  uint32
	busy    uint64 // the AP is busy until this cycle
	powered uint64 // the power-up acknowledges come at this cycle
	sel1    uint32 // SELECT1
	aps     []*memAP
}

// NewPort returns a port in its power-on state: no power requested.
func NewPort(cfg Config) *Port {
	if cfg.DPIDR == 0 {
		cfg.DPIDR = 0x0be12477
	}
	if cfg.TARGETID == 0 {
		cfg.TARGETID = 0x04d50477
	}
	if cfg.IDR == 0 {
		cfg.IDR = 0x24770011
	}
	if cfg.BASE == 0 {
		cfg.BASE = 0xe00ff003
	}
	if cfg.TARBlock == 0 {
		cfg.TARBlock = 1 << 10
	}
	if cfg.Cycles == nil {
		cfg.Cycles = func() uint64 { return 0 }
	}
	if cfg.Ports == nil {
		cfg.Ports = []AccessPort{{IDR: cfg.IDR, BASE: cfg.BASE, Bus: cfg.Bus}}
	}
	p := &Port{cfg: cfg}
	p.PowerOn()
	return p
}

// PowerOn is a power-on reset of the debug domain: every register of DP and AP
// loses its value.
func (p *Port) PowerOn() {
	p.ctrl, p.sel, p.dlcr, p.result, p.resend, p.busy, p.powered = 0, 0, 0, 0, 0, 0, 0
	p.sel1, p.aps = 0, nil
	for _, ap := range p.cfg.Ports {
		p.aps = append(p.aps, &memAP{AccessPort: ap, csw: cswReset})
	}
}

// v6 says whether the access ports are at addresses: DPIDR.VERSION is 3.
func (p *Port) v6() bool { return p.cfg.DPIDR>>12&0xf >= 3 }

// targetSel is the value of TARGETSEL that names this port: TINSTANCE,
// TPARTNO, TDESIGNER (ADIv5.2, B2.2.10).
func (p *Port) targetSel() uint32 { return p.cfg.Instance<<28 | p.cfg.TARGETID&0x0fffffff }

// RaiseError sets STICKYERR, as an error response of the bus does.
func (p *Port) RaiseError() { p.ctrl |= STICKYERR }

// Overrun says whether WAIT and FAULT carry a data phase (CTRL/STAT.ORUNDETECT).
func (p *Port) Overrun() bool { return p.ctrl&ORUNDETECT != 0 }

// Turnaround is the turnaround in SWCLK cycles (DLCR.TURNROUND).
func (p *Port) Turnaround() int { return int(p.dlcr>>8&3) + 1 }

// Request acknowledges a request (ADIv5.2, B4.2.3 to B4.2.5). DPIDR and
// CTRL/STAT can always be read and ABORT always be written; all else waits for
// the AP and is refused while a sticky flag is set.
func (p *Port) Request(req uint8) uint8 {
	if req&APnDP == 0 {
		a := req & (A2 | A3)
		if a == 0 || a == A2 && req&RnW != 0 {
			return OK
		}
	}
	ack := OK
	switch {
	case p.cfg.Cycles() < p.busy:
		ack = WAIT
	case p.ctrl&sticky != 0:
		ack = FAULT
	}
	if ack != OK {
		if p.Overrun() {
			p.ctrl |= STICKYORUN
		}
		if req&RnW != 0 {
			p.ctrl &^= READOK
		}
	}
	return ack
}

// Read is the data phase of an acknowledged read. An AP read is posted: it
// returns the result of the one before (ADIv5.2, B4.2.2).
func (p *Port) Read(req uint8) uint32 {
	if req&APnDP == 0 {
		return p.readDP(req)
	}
	p.resend, p.ctrl = p.result, p.ctrl|READOK
	p.result = p.readAP(req)
	return p.resend
}

// Write is the data phase of an acknowledged write. good false says that the
// parity was wrong: the data are dropped and WDATAERR is set.
func (p *Port) Write(req uint8, v uint32, good bool) {
	switch {
	case !good:
		p.ctrl |= WDATAERR
	case req&APnDP == 0:
		p.writeDP(req, v)
	default:
		p.writeAP(req, v)
	}
}

// readDP reads a DP register; address 4 is banked by SELECT.DPBANKSEL.
func (p *Port) readDP(req uint8) uint32 {
	switch req & (A2 | A3) {
	case 0:
		return p.identification()
	case A2:
		switch p.sel & 0xf {
		case 0:
			return p.status()
		case 1:
			return p.dlcr
		case 2:
			return p.cfg.TARGETID
		case 3:
			return p.cfg.Instance<<28 | 1 // DLPIDR: SWD protocol version 2
		case 5:
			if p.v6() {
				return p.sel1
			}
		}
		return 0 // EVENTSTAT and reserved banks
	case A3:
		return p.resend
	}
	p.resend, p.ctrl = p.result, p.ctrl|READOK
	return p.result // RDBUFF
}

// status is CTRL/STAT. In SWD, WDATAERR and READOK are as the last transfers
// left them; a request is acknowledged once the domain is up.
func (p *Port) status() uint32 {
	v := p.ctrl
	if p.cfg.Cycles() >= p.powered && !p.cfg.NoPower {
		v |= v & (CDBGPWRUPREQ | CSYSPWRUPREQ) << 1
	}
	return v
}

func (p *Port) writeDP(req uint8, v uint32) {
	switch req & (A2 | A3) {
	case 0:
		p.abort(v)
	case A2:
		switch p.sel & 0xf {
		case 0:
			const writable = ORUNDETECT | CDBGPWRUPREQ | CSYSPWRUPREQ
			if up := v &^ p.ctrl & (CDBGPWRUPREQ | CSYSPWRUPREQ); up != 0 {
				p.powered = p.cfg.Cycles() + p.cfg.PowerUpCycles
				if p.cfg.Powered != nil && up&CDBGPWRUPREQ != 0 {
					p.cfg.Powered()
				}
			}
			p.ctrl = p.ctrl&^writable | v&writable
		case 1:
			p.dlcr = v & 0x300
		case 5:
			p.sel1 = v
		}
	case A3:
		p.sel = v
	}
}

// abort is a write of ABORT (ADIv5.2, B2.2.1): DAPABORT, STKCMPCLR,
// STKERRCLR, WDERRCLR, ORUNERRCLR from bit 0 up.
func (p *Port) abort(v uint32) {
	if v&1 != 0 {
		p.busy = 0
	}
	for bit, flag := range [...]uint32{1: STICKYCMP, 2: STICKYERR, 3: WDATAERR, 4: STICKYORUN} {
		if v>>bit&1 != 0 {
			p.ctrl &^= flag
		}
	}
}

// register is the AP register of a request: SELECT.APBANKSEL and A[3:2].
func (p *Port) register(req uint8) uint8 {
	return uint8(p.sel&0xf0) | req&(A2|A3)
}
