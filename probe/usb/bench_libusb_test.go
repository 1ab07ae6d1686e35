//go:build cgo && linux

package usb_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/mprof/mprof/probe/usb"
)

// commandsRole exchanges as many packets as asked, args[2] under way at a time,
// and says how many nanoseconds each took.
func commandsRole(ctx context.Context, args []string) error {
	tr, _, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer tr.Close()
	n, _ := strconv.Atoi(args[1])
	deep, _ := strconv.Atoi(args[2])
	request, response := []byte{0x80, 1, 2, 3}, make([]byte, tr.PacketSize())
	start := time.Now()
	for sent, got := 0, 0; got < n; got++ {
		for ; sent < min(n, got+deep); sent++ {
			if err := tr.WritePacket(ctx, request); err != nil {
				return err
			}
		}
		if _, err := tr.ReadPacket(ctx, response); err != nil {
			return err
		}
	}
	fmt.Println(time.Since(start).Nanoseconds() / int64(n))
	return nil
}

// BenchmarkLibusb is the cost of a packet through gousb, libusb and the
// simulated usbfs, without a bus: an upper bound of what the host adds.
func BenchmarkLibusb(b *testing.B) {
	for _, deep := range []int{1, 4} {
		b.Run(fmt.Sprintf("%d under way", deep), func(b *testing.B) {
			bus := newBus(b)
			plug(b, bus, highConfig)
			ns, err := strconv.ParseFloat(firstLine(run(b, bus, fmt.Sprintf("commands HS1 %d %d", max(b.N, 100), deep))), 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns/1000, "us/packet")
		})
	}
}
