package probetest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
)

const inStep = `
> 00 fe
< 00 01 02      # the questions that bring both sides in step
> 00 ff
< 00 02 40 00
> 01 01 00
< 01 00
> 09 00 00
< 09 00
`

const identify = inStep + `
> 00 ff
< 00 02 40 00
> 00 fe
< 00 01 02
> 00 f0
< 00 01 01
> 00 01
< 00 00
> 00 02
< 00 05 54 65 73 74 00
> 00 03
< 00 00
> 00 04
< 00 00
> 00 05
< 00 00
> 00 06
< 00 00
> 00 07
< 00 00
> 00 08
< 00 00
> 00 09
< 00 00
> 7f 01 00 fe
< ff
`

func TestPlayback(t *testing.T) {
	tr := probetest.Script(64, identify)
	info, err := probe.Identify(context.Background(), tr)
	if err != nil {
		t.Fatal(err)
	}
	if info.Product != "Test" || info.PacketCount != 2 {
		t.Errorf("%+v", info)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
}

func TestPlaybackFails(t *testing.T) {
	for _, c := range []struct {
		name, script string
		err          error
		text         string
	}{
		{"deviation", "> 00 ff\n< 00 02 40 00\n", probetest.ErrDeviation, "sent [00 fe], expected [00 ff]"},
		{"more than expected", "", probetest.ErrDeviation, "expected []"},
		{"silence", "> 00 fe\n! timeout\n> 00 ff\n! timeout\n> 01 01 00\n! timeout\n", probe.ErrTimeout, "DAP_HostStatus"},
		{"unplugged", "> 00 fe\n! disconnected\n", probe.ErrDisconnected, "DAP_Info"},
		{"nonsense, twice", inStep + strings.Repeat("> 00 ff\n< 00 02 00 00\n", 2), probe.ErrResponse, "DAP_Info 0xff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := probe.Identify(context.Background(), probetest.Script(64, c.script))
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestPlaybackLeftovers(t *testing.T) {
	tr := probetest.Script(64, "> 01\n< 02\n> 03\n")
	ctx := context.Background()
	if err := tr.WritePacket(ctx, []byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err == nil || !strings.Contains(err.Error(), "not sent: > 03") {
		t.Errorf("close: %v", err)
	}
	if err := tr.WritePacket(ctx, []byte{3}); err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err == nil || !strings.Contains(err.Error(), "not read: < 02") {
		t.Errorf("close: %v", err)
	}
}

// TestRecord: what is recorded plays back.
func TestRecord(t *testing.T) {
	var text strings.Builder
	r := probetest.NewRecorder(probetest.Script(64, identify), &text)
	if _, err := probe.Identify(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := probetest.Parse(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := probetest.Parse(strings.NewReader("! timeout\n" + identify))
	lines := func(all []probetest.Packet) (s []string) {
		for _, k := range all {
			s = append(s, k.String())
		}
		return s
	}
	if d := cmp.Diff(lines(want), lines(got)); d != "" {
		t.Error(d)
	}
	again := probetest.NewPlayback(64, got)
	if _, err = probe.Identify(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestParseFails(t *testing.T) {
	for _, s := range []string{"00 01", "> 0g", "< 012", "! nobody"} {
		if _, err := probetest.Parse(strings.NewReader(s)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v", s, err)
		}
	}
}
