package probe

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parrot answers each packet with its first and last byte and counts how many
// are under way.
type parrot struct {
	sent    []byte
	waiting [][]byte
	most    int
}

func (t *parrot) WritePacket(_ context.Context, p []byte) error {
	t.sent = append(t.sent, p[len(p)-1])
	t.waiting = append(t.waiting, []byte{p[0], p[len(p)-1]})
	t.most = max(t.most, len(t.waiting))
	return nil
}

func (t *parrot) ReadPacket(_ context.Context, p []byte) (int, error) {
	if len(t.waiting) == 0 {
		return 0, context.DeadlineExceeded
	}
	n := copy(p, t.waiting[0])
	t.waiting = t.waiting[1:]
	return n, nil
}

func (t *parrot) PacketSize() int { return 64 }
func (t *parrot) Close() error    { return nil }

func TestConverse(t *testing.T) {
	wire := &parrot{}
	p := &Probe{transport: wire, options: Options{}.withDefaults(), info: Info{PacketSize: 64, PacketCount: 2}}
	var got []byte
	err := p.Converse(context.Background(), [][]byte{{cmdDelay, 1}, {cmdDelay, 2}, {cmdDelay, 3}}, func(i int, response []byte) ([][]byte, int) {
		if i != len(got) {
			t.Errorf("response %d, want %d", i, len(got))
		}
		got = append(got, response[1])
		switch response[1] {
		case 1:
			return [][]byte{{cmdDelay, 4}, {cmdDelay, 5}}, 2
		case 5:
			return [][]byte{{cmdDelay, 6}}, 0
		}
		return nil, 0
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{1, 2, 3, 4, 5, 6}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("heard (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, wire.sent); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	if wire.most != 2 {
		t.Errorf("%d packets under way, the probe buffers 2", wire.most)
	}
}

func TestConverseErrors(t *testing.T) {
	p := &Probe{transport: &parrot{}, options: Options{}.withDefaults(), info: Info{PacketSize: 64, PacketCount: 2}}
	err := p.Converse(context.Background(), [][]byte{{cmdDelay, 1}}, func(int, []byte) ([][]byte, int) { return [][]byte{make([]byte, 65)}, 0 })
	if err == nil {
		t.Error("a request of 65 bytes was sent")
	}
	p.transport.(*parrot).waiting = [][]byte{{cmdTransfer, 1, 1}}
	p.owed, p.outOfStep = 0, false
	err = p.Converse(context.Background(), [][]byte{{cmdDelay, 1}}, func(int, []byte) ([][]byte, int) { return nil, 0 })
	if !errors.Is(err, ErrResponse) {
		t.Errorf("the answer to another command: %v", err)
	}
}
