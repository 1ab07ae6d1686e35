package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
)

// sampleRegisters are PC, LR, SP, xPSR and R7 (REGSEL of DCRSR).
var sampleRegisters = []uint32{15, 14, 13, 16, 7}

const abortClear = 0x1E // ABORT: all sticky flags

// sampleRequests halt, wait until DHCSR masked with S_HALT is value, and read
// five registers, each with its own look at DHCSR. SELECT is at the banked data
// registers and TAR at DHCSR, so that BD0 is DHCSR, BD1 DCRSR and BD2 DCRDR.
func sampleRequests(value uint32, stamp byte) []probe.Req {
	reqs := []probe.Req{
		{Op: probe.WriteBD0 | stamp, Data: dhcsrHalt},
		{Op: probe.ReadBD0 | probe.MatchValue, Data: value},
	}
	for _, r := range sampleRegisters {
		reqs = append(reqs, probe.Req{Op: probe.WriteBD1, Data: r}, probe.Req{Op: probe.ReadBD0}, probe.Req{Op: probe.ReadBD2})
	}
	return reqs
}

// guardRequests let the core run, whatever happened before.
func guardRequests(stamp byte) []probe.Req {
	return []probe.Req{
		{Op: probe.WriteABORT, Data: abortClear},
		{Op: probe.WriteBD0 | stamp, Data: dhcsrRun},
	}
}

// execute runs two DAP_Transfers in one DAP_ExecuteCommands, with commands
// behind them that do no harm, whatever the probe takes them for.
func (b *bench) execute(ctx context.Context, first, second []probe.Req, behind int) (a, g probe.Answer, errFirst, err error) {
	defer b.p.Invalidate()
	packet := probe.AppendTransfer(probe.AppendTransfer(probe.AppendExecute(nil, 2), first), second)
	for range behind {
		packet = probe.AppendInfo(packet, 0xFE)
	}
	r, err := b.p.Exchange(ctx, [][]byte{packet}, nil)
	if err != nil {
		return a, g, nil, err
	}
	rest, err := probe.ParseExecute(r[0], 2)
	if err != nil {
		return a, g, nil, err
	}
	rest, errFirst = probe.ParseTransfer(rest, first, &a)
	if errors.Is(errFirst, probe.ErrResponse) {
		return a, g, errFirst, errFirst
	}
	_, err = probe.ParseTransfer(rest, second, &g)
	return a, g, errFirst, err
}

const severalPackets = "a sample takes several packets, each of which resumes the core, and the host sends a guard behind them"

// guardPacket runs the packet of a sample: 63 bytes that halt, read five
// registers and resume. First with commands that do no harm, then with a match
// that holds, then with one that fails: there the guard alone lets the core run.
func guardPacket(b *bench, ctx context.Context) (f Finding, err error) {
	if !b.p.HasExecuteCommands() {
		f.fact("DAP_ExecuteCommands is not there")
		f.short("not there")
		f.judge(false, "", severalPackets)
		return f, nil
	}
	if ok, err := b.branches(ctx); !ok || err != nil {
		f.short("misreads")
		f.fact("after a match that failed the firmware misreads the command behind it, as the reference implementation did before 2.1.1")
		f.judge(false, "", severalPackets)
		return f, err
	}
	b.guarded = true
	var stamp byte
	if b.p.Info().TimestampHz != 0 {
		stamp = probe.Timestamp
	}
	if err := b.p.SetMatchRetry(ctx, probe.DefaultMatchRetry); err != nil {
		return f, err
	}
	if err := b.oneGuarded(ctx, &f, sHalt, stamp); err != nil {
		return f, err
	}
	if err := b.p.SetMatchRetry(ctx, 2); err != nil {
		return f, err
	}
	if err := b.oneGuarded(ctx, &f, 0, stamp); err != nil { // S_HALT is never clear here
		return f, err
	}
	f.short("resumes")
	f.judge(!f.Unsafe, "a sample is one packet that halts, copies and resumes", "the guard is not to be trusted on this probe")
	return f, nil
}

// branches tells whether a match that fails ends its own DAP_Transfer and
// nothing else. Only the debug port is read.
func (b *bench) branches(ctx context.Context) (bool, error) {
	if err := b.p.SetMatchRetry(ctx, 0); err != nil {
		return false, err
	}
	fail := append(append([]probe.Req{}, neverDPIDR...), probe.Req{Op: probe.ReadDPIDR})
	a, g, errFirst, err := b.execute(ctx, fail, readDPIDR(1), 10)
	if errors.Is(err, probe.ErrResponse) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return errFirst != nil && a.Ack == probe.OK|probe.Mismatch && len(g.Data) == 1 && g.Data[0] == b.p.DPIDR(), nil
}

// oneGuarded sends the packet and looks whether the core runs behind it. It is
// resumed in any case.
func (b *bench) oneGuarded(ctx context.Context, f *Finding, value uint32, stamp byte) error {
	a, g, errFirst, err := b.sample(ctx, value, stamp)
	dhcsr, readErr := b.p.ReadWord(ctx, addrDHCSR)
	runs := readErr == nil && dhcsr&sHalt == 0
	if !runs {
		f.Unsafe = true
		readErr = errors.Join(readErr, b.resume())
	}
	if err != nil || readErr != nil {
		return errors.Join(err, readErr)
	}
	request, response := packetLengths(sampleRequests(value, stamp), guardRequests(stamp))
	what := "the core runs behind it"
	if !runs {
		what = "the core does NOT run behind it"
	}
	if value == 0 {
		refused := a.Ack == probe.OK|probe.Mismatch && a.Count <= 2
		f.Unsafe = f.Unsafe || !refused || g.Ack != probe.OK
		f.fact("with a match that fails (%v): %s", errFirst, what)
		return nil
	}
	f.fact("%d bytes, answered with %d: %d registers, %s", request, response, len(a.Data)/2, what)
	for i := 0; i+1 < len(a.Data); i += 2 {
		if a.Data[i]&sHalt == 0 {
			f.Unsafe = true
			f.fact("register %d was read with DHCSR 0x%08x: not halted", sampleRegisters[i/2], a.Data[i])
		}
	}
	return errFirst
}

// sample sends the packet of a sample, ready to be sent: SELECT, TAR and mask.
func (b *bench) sample(ctx context.Context, value uint32, stamp byte) (a, g probe.Answer, errFirst, err error) {
	if _, err := b.transfer(ctx, probe.Req{Op: probe.WriteABORT | probe.MatchMask, Data: sHalt}); err != nil {
		return a, g, nil, err
	}
	if err := b.p.SelectBank(ctx, probe.BankData, addrDHCSR); err != nil {
		return a, g, nil, err
	}
	start := b.clock.Now()
	a, g, errFirst, err = b.execute(ctx, sampleRequests(value, stamp), guardRequests(stamp), 0)
	b.stood(b.clock.Now() - start)
	return a, g, errFirst, err
}

// packetLengths are those of DAP_ExecuteCommands with two DAP_Transfers.
func packetLengths(transfers ...[]probe.Req) (request, response int) {
	request, response = 2, 2
	for _, reqs := range transfers {
		request, response = request+3, response+3
		for _, r := range reqs {
			request += r.RequestLen()
			response += r.ResponseLen()
		}
	}
	return request, response
}

// resumeRounds is how many samples are timed.
const resumeRounds = 20

// haltToResume lets the probe time its own samples: from the write that halts
// to the one that resumes there are 24 transfers and one command.
func haltToResume(b *bench, ctx context.Context) (f Finding, err error) {
	hz := float64(b.p.Info().TimestampHz)
	if hz == 0 || !b.guarded {
		f.Verdict = CannotTell
		f.fact("it takes a probe with a clock and with guarded packets")
		f.Consequence = "mprof counts what the probe did while the core stood"
		return f, nil
	}
	var sum, most time.Duration
	for range resumeRounds {
		a, g, errFirst, err := b.sample(ctx, sHalt, probe.Timestamp)
		if err = errors.Join(errFirst, err); err != nil {
			return f, err
		}
		if len(a.Stamps) != 1 || len(g.Stamps) != 1 {
			return f, fmt.Errorf("%d and %d timestamps", len(a.Stamps), len(g.Stamps))
		}
		d := time.Duration(float64(g.Stamps[0]-a.Stamps[0]) / hz * 1e9)
		sum, most = sum+d, max(most, d)
	}
	mean, planned := sum/resumeRounds, 24*b.costs.Transfer+b.costs.Command
	f.fact("five registers, halt to resume: %s in the mean, %s at most; %s by the measured cost of 24 transfers and a command", micros(mean), micros(most), micros(planned))
	f.value("halt_us", float64(mean)/1e3)
	f.value("planned_us", float64(planned)/1e3)
	off := max(mean-planned, planned-mean)
	f.judge(off < planned/4+time.Duration(2e9/hz), "what mprof plans is what the core stands still", "mprof goes by the probe's clock, and plans with costs that are off")
	return f, nil
}
