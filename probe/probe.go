package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/schedule"
)

// What Open uses where Options leave it open.
const (
	DefaultSWCLKHz    = 4_000_000
	DefaultTimeout    = time.Second
	DefaultWaitRetry  = 64
	DefaultMatchRetry = 64
)

// Options say how to connect. The zero value serves.
type Options struct {
	SWCLKHz    uint32        // Hz; 0: DefaultSWCLKHz
	Timeout    time.Duration // of each packet, while this machine runs; 0: DefaultTimeout
	IdleCycles byte          // SWCLK cycles after each transfer; 2 for a marginal target
	// WaitRetry and MatchRetry are tries after a WAIT and after a value that
	// does not match; 0: the defaults. Many retries hold a halted core long.
	WaitRetry, MatchRetry uint16
	// AP is the access port to use: its number (ADIv5) or its address (ADIv6).
	// nil: the one of Core.
	AP *uint32
	// Core is the number of the core, from 0: on a chip with a debug port for
	// each (RP2040) it chooses that, elsewhere among the AHB-APs behind which
	// there is a core.
	Core int
	// TARGETSEL selects one of several debug ports on the wire (multidrop).
	// nil: a lone port, or that of Core where the chip is known.
	TARGETSEL *uint32
	// ConnectUnderReset connects while nRESET is low and leaves it so:
	// ReleaseReset, or Close, lets the target start.
	ConnectUnderReset bool
	// Reopen opens the same probe again after it was unplugged or hung: the
	// last rung of Recover, which has closed the old transport by then. nil: a
	// probe that is gone stays gone.
	Reopen func(context.Context) (Transport, error)
}

func (o Options) withDefaults() Options {
	if o.SWCLKHz == 0 {
		o.SWCLKHz = DefaultSWCLKHz
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.WaitRetry == 0 {
		o.WaitRetry = DefaultWaitRetry
	}
	if o.MatchRetry == 0 {
		o.MatchRetry = DefaultMatchRetry
	}
	return o
}

// Probe is a connected probe with a target behind it. One goroutine at a time
// may use it.
type Probe struct {
	transport Transport
	options   Options
	info      Info
	execute   bool // DAP_ExecuteCommands works

	dpidr      uint32
	targetsel  *uint32 // nil: a lone port
	noSequence bool    // the probe has no DAP_SWD_Sequence
	inReset    bool    // we hold nRESET low
	ap         accessPort
	cache      cache

	// Packets sent whose responses have not been read, and whether the next
	// response may be somebody else's.
	owed      int
	outOfStep bool
	turn      int // of the questions that settle asks

	scratch [64]byte // short requests
	spare   []byte   // responses that are dropped
	one     [1][]byte
	reply   [1][]byte
	reqs    []Req
	answer  Answer
	batch   batch
}

// drainTime is how long Open listens for packets of an earlier session.
const drainTime = 10 * time.Millisecond

// Open makes the probe speak SWD and connects to the target without touching
// the core: packets of an earlier session are dropped, the probe is asked what
// it is, the wire is brought to SWD, the debug port is powered up, and the
// access port to the core's memory is found and set to word accesses.
//
// On an error the transport stays open and is the caller's to close. An error
// wraps ErrNoTarget when nothing answered on the wire.
func Open(ctx context.Context, t Transport, o Options) (*Probe, error) {
	p, err := identify(ctx, t, o)
	if err != nil {
		return nil, err
	}
	if err := twice(ctx, p.attach); err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}

// twice tries again after an error that may have been noise on the wire or a
// packet that was lost: not where the probe or the target is not there at all.
func twice(ctx context.Context, try func(context.Context) error) error {
	err := try(ctx)
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrDisconnected) || errors.Is(err, ErrNoTarget) {
		return err
	}
	return try(ctx)
}

// Identify asks a probe what it is. It leaves the target alone, and t open.
func Identify(ctx context.Context, t Transport) (Info, error) {
	p, err := identify(ctx, t, Options{})
	if err != nil {
		return Info{}, err
	}
	return p.info, nil
}

// identify is the first half of Open: the probe without the target.
func identify(ctx context.Context, t Transport, o Options) (*Probe, error) {
	p := &Probe{transport: t, options: o.withDefaults(), outOfStep: true}
	p.info = Info{PacketSize: t.PacketSize(), PacketCount: 1}
	p.spare = make([]byte, t.PacketSize())
	if err := p.drain(ctx); err != nil {
		return nil, err
	}
	if err := p.settleUnknown(ctx); err != nil {
		return nil, err
	}
	if err := twice(ctx, p.readInfo); err != nil {
		return nil, err
	}
	if err := twice(ctx, p.testExecute); err != nil && !errors.Is(err, ErrTimeout) && !errors.Is(err, ErrResponse) {
		return nil, err
	}
	return p, nil
}

// attach is the second half of Open.
func (p *Probe) attach(ctx context.Context) error {
	p.ap = accessPort{}
	if err := p.connectSWD(ctx); err != nil {
		return err
	}
	if p.options.ConnectUnderReset {
		if err := p.holdReset(ctx); err != nil {
			return err
		}
	}
	if err := p.connectTarget(ctx); err != nil {
		return err
	}
	if err := p.findAP(ctx); err != nil {
		return err
	}
	return p.setUpAP(ctx)
}

// drain reads what an earlier session left in the probe.
func (p *Probe) drain(ctx context.Context) error {
	for range mostStale {
		tctx, cancel := schedule.Patience(ctx, drainTime)
		_, err := p.transport.ReadPacket(tctx, p.spare)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, ErrDisconnected) {
			return fmt.Errorf("probe: %w", err)
		}
		if err != nil {
			break
		}
	}
	return nil
}

// testExecute runs one harmless command inside DAP_ExecuteCommands: the
// capability bit is not to be believed either way.
func (p *Probe) testExecute(ctx context.Context) error {
	r, err := p.command(ctx, AppendInfo(AppendExecute(p.scratch[:0], 1), infoPacketCount))
	if err != nil {
		return err
	}
	inner, err := ParseExecute(r, 1)
	if err == nil {
		var v []byte
		v, err = ParseInfo(inner)
		p.execute = err == nil && len(v) == 1 && int(v[0]) == p.info.PacketCount
	}
	return nil
}

// Info is what the probe says of itself.
func (p *Probe) Info() Info { return p.info }

// HasExecuteCommands says whether the probe runs DAP_ExecuteCommands. It was
// tried when the probe was opened.
func (p *Probe) HasExecuteCommands() bool { return p.execute }

// PacketLimit is how many bytes a request or a response may have: one less
// than a packet, because CMSIS-DAP has no length field and a transfer of
// exactly wMaxPacketSize would need an empty packet to end it.
func (p *Probe) PacketLimit() int { return p.info.PacketSize - 1 }

// DPIDR is the identification register of the debug port (ADIv5.2 section B2.2.5).
func (p *Probe) DPIDR() uint32 { return p.dpidr }

// closeTime bounds what Close may wait for a probe that does not answer.
const closeTime = 500 * time.Millisecond

// Close disconnects the probe from the target and closes the transport. It
// does not resume a core that was halted.
func (p *Probe) Close() error {
	err := p.release()
	return errors.Join(err, p.transport.Close())
}

// release switches the probe's pins off. A probe that is gone is released.
func (p *Probe) release() error {
	ctx, cancel := schedule.Patience(context.Background(), closeTime)
	defer cancel()
	var err error
	if p.inReset {
		err = p.ReleaseReset(ctx)
	}
	err = errors.Join(err, p.status(ctx, append(p.scratch[:0], cmdDisconnect)))
	if errors.Is(err, ErrDisconnected) {
		return nil
	}
	return err
}
