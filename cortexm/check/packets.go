package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/mprof/mprof/probe"
)

// packetSizes sends requests and asks for responses as long as mprof makes them,
// one byte less than a packet, and as long as the probe says it takes.
func packetSizes(b *bench, ctx context.Context) (f Finding, err error) {
	limit := b.p.PacketLimit()
	size := limit + 1
	works := true
	for _, c := range []struct {
		what string
		n    int
		test func(context.Context, int) error
	}{
		{"request", limit, b.longRequest}, {"response", limit, b.longResponse},
		{"request", size, b.longRequest}, {"response", size, b.fullResponse},
	} {
		err := c.test(ctx, c.n)
		if errors.Is(err, probe.ErrDisconnected) || ctx.Err() != nil {
			return f, err
		}
		if err == nil {
			f.fact("%s of %d bytes: ok", c.what, c.n)
			continue
		}
		f.fact("%s of %d bytes: %v", c.what, c.n, err)
		works = works && c.n != limit
		if err := b.p.Recover(ctx); err != nil {
			return f, err
		}
	}
	f.value("packet_bytes", float64(size))
	f.judge(works, fmt.Sprintf("packets of at most %d bytes", limit), "sampling relies on packets of this size: not on this probe")
	f.Unsafe = !works
	return f, nil
}

// longRequest sends n bytes: mask writes of 5, which do nothing on the wire, and
// reads of DPIDR.
func (b *bench) longRequest(ctx context.Context, n int) error {
	var reqs []probe.Req
	left := n - 3
	for ; left >= 5 && len(reqs) < probe.MaxTransfers; left -= 5 {
		reqs = append(reqs, probe.Req{Op: probe.WriteABORT | probe.MatchMask, Data: sHalt})
	}
	for ; left > 0 && len(reqs) < probe.MaxTransfers; left-- {
		reqs = append(reqs, probe.Req{Op: probe.ReadDPIDR})
	}
	return b.readsDPIDR(ctx, reqs)
}

// longResponse asks for as many words as fit n bytes.
func (b *bench) longResponse(ctx context.Context, n int) error {
	return b.readsDPIDR(ctx, readDPIDR(min((n-3)/4, probe.MaxTransfers)))
}

// fullResponse asks for n bytes by DAP_TransferBlock, whose header is 4 bytes.
func (b *bench) fullResponse(ctx context.Context, n int) error {
	words := (n - 4) / 4
	r, err := b.p.Exchange(ctx, [][]byte{probe.AppendTransferBlock(nil, probe.ReadDPIDR, words, nil)}, nil)
	if err != nil {
		return err
	}
	var a probe.Answer
	if _, err := probe.ParseTransferBlock(r[0], probe.ReadDPIDR, words, &a); err != nil {
		return err
	}
	return b.allDPIDR(a.Data)
}

func readDPIDR(n int) []probe.Req {
	reqs := make([]probe.Req, n)
	for i := range reqs {
		reqs[i].Op = probe.ReadDPIDR
	}
	return reqs
}

func (b *bench) readsDPIDR(ctx context.Context, reqs []probe.Req) error {
	a, err := b.transfer(ctx, reqs...)
	if err != nil {
		return err
	}
	return b.allDPIDR(a.Data)
}

func (b *bench) allDPIDR(words []uint32) error {
	for _, v := range words {
		if v != b.p.DPIDR() {
			return fmt.Errorf("DPIDR read 0x%08x, then 0x%08x", b.p.DPIDR(), v)
		}
	}
	return nil
}

// flightRounds is how often the probe is filled.
const flightRounds = 10

// packetsInFlight fills the probe with as many packets as it says it buffers,
// each of which has an answer of its own length.
func packetsInFlight(b *bench, ctx context.Context) (f Finding, err error) {
	n := b.p.Info().PacketCount
	most := (b.p.PacketLimit() - 3) / 4
	var requests [][]byte
	var reads [][]probe.Req
	for i := range n {
		reads = append(reads, readDPIDR(1+i%most))
		requests = append(requests, probe.AppendTransfer(nil, reads[i]))
	}
	for range flightRounds {
		responses, err := b.p.Exchange(ctx, requests, nil)
		if err != nil {
			return f, fmt.Errorf("%d packets in flight: %w", n, err)
		}
		var a probe.Answer
		for i, r := range responses {
			if _, err := probe.ParseTransfer(r, reads[i], &a); err != nil {
				return f, fmt.Errorf("packet %d of %d in flight: %w", i+1, n, err)
			}
			if err := b.allDPIDR(a.Data); err != nil {
				return f, err
			}
		}
	}
	f.fact("%d packets at a time, %d times: all answered, in order", n, flightRounds)
	f.value("packets", float64(n))
	f.judge(n > 1, "the next packet is with the probe before the host has its answer", "one packet at a time: a sample that needs several waits for the host in between")
	return f, nil
}
