package probe

import (
	"errors"
	"strings"
	"testing"
	"unicode"
)

func TestParseInfo(t *testing.T) {
	for _, c := range []struct {
		p     string
		id    byte
		check func(Info) bool
		err   string
	}{
		{"00 08 44 41 50 4C 69 6E 6B 00", infoProduct, func(i Info) bool { return i.Product == "DAPLink" }, ""},
		{"00 00", infoSerial, func(i Info) bool { return i.Serial == "" }, ""},
		{"00 06 31 2E 33 0A 20 00", infoProtocol, func(i Info) bool { return i.Protocol == "1.3" }, ""},
		{"00 02 FF 01", infoCapabilities, func(i Info) bool { return i.Capabilities.Has(CapUSBCOM | CapSWD) }, ""},
		{"00 01 11", infoCapabilities, func(i Info) bool { return i.Capabilities == CapSWD|CapAtomicCommands }, ""},
		{"00 01 06", infoPacketCount, func(i Info) bool { return i.PacketCount == 6 }, ""},
		{"00 02 00 02", infoPacketSize, func(i Info) bool { return i.PacketSize == 512 }, ""},
		{"00 04 40 42 0F 00", infoTestDomainTimer, func(i Info) bool { return i.TimestampHz == 1e6 }, ""},
		{"00 01 00", infoPacketCount, nil, "DAP_Info 0xfe"},
		{"00 02 20 00", infoPacketSize, nil, "DAP_Info 0xff"}, // 32 bytes
		{"00 00", infoPacketSize, nil, "DAP_Info 0xff"},
		{"00 05 41", infoProduct, nil, "malformed"},
		{"00", infoProduct, nil, "malformed"},
		{"05 00 01", infoProduct, nil, "malformed"},
	} {
		v, err := ParseInfo(unhex(t, c.p))
		var i Info
		if err == nil {
			err = i.set(c.id, v)
		}
		if (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || !errors.Is(err, ErrResponse)) {
			t.Errorf("%s: error %v, want %q", c.p, err, c.err)
		} else if err == nil && !c.check(i) {
			t.Errorf("%s: %+v", c.p, i)
		}
	}
}

func FuzzParseInfo(f *testing.F) {
	f.Add(unhex(f, "00 08 44 41 50 4C 69 6E 6B 00"), infoProduct)
	f.Add(unhex(f, "00 02 00 02"), infoPacketSize)
	f.Fuzz(func(t *testing.T, p []byte, id byte) {
		v, err := ParseInfo(p)
		if err != nil {
			return
		}
		var i Info
		if i.set(id, v) != nil {
			return
		}
		for _, s := range []string{i.Vendor, i.Product, i.Serial, i.Firmware, i.Protocol, i.TargetName, i.BoardName} {
			if strings.ContainsFunc(s, unicode.IsControl) {
				t.Fatalf("control characters in %q", s)
			}
		}
	})
}
