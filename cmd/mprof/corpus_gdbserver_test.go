package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"testing"

	"github.com/mprof/mprof/sim/qemu"
)

// banked stands between gdb and QEMU's gdb server and adds MSP and PSP, which
// QEMU 7.2 does not tell: gdb 13 unwinds hardly anything without them. They are
// what the last G packet had behind the 17 registers that QEMU knows.
type banked struct {
	qemu  *qemu.Stub
	extra []byte // MSP and PSP as hexadecimal digits
}

// description is QEMU's, of an M-profile core, and org.gnu.gdb.arm.m-system (GDB
// manual, "ARM Features").
var description = func() string {
	s := `<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target><architecture>arm</architecture><feature name="org.gnu.gdb.arm.m-profile">`
	for i := range 13 {
		s += fmt.Sprintf(`<reg name="r%d" bitsize="32"/>`, i)
	}
	return s + `<reg name="sp" bitsize="32" type="data_ptr"/><reg name="lr" bitsize="32"/><reg name="pc" bitsize="32" type="code_ptr"/>` +
		`<reg name="xpsr" bitsize="32"/></feature><feature name="org.gnu.gdb.arm.m-system"><reg name="msp" bitsize="32" type="data_ptr"/>` +
		`<reg name="psp" bitsize="32" type="data_ptr"/></feature></target>`
}()

// serveBanked starts QEMU and returns the path of a socket for one gdb.
func serveBanked(t *testing.T, elf string) string {
	t.Helper()
	m := qemu.Start(t, qemu.Options{Board: "mps2-an386", ELF: elf, Silent: true, GDB: true, Halted: true, Icount: qemu.WallClock})
	stub, err := m.Stub()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gdb")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			b := &banked{stub, bytes.Repeat([]byte{'0'}, 16)}
			err = b.serve(conn)
			conn.Close()
		}
		done <- err
	}()
	t.Cleanup(func() {
		listener.Close()
		m.Stop()
		if err := <-done; err != nil && err != io.EOF {
			t.Logf("between gdb and QEMU: %v", err)
		}
	})
	return path
}

func (b *banked) serve(gdb net.Conn) error {
	for from := bufio.NewReader(gdb); ; {
		request, err := packet(from)
		if err != nil {
			return err
		}
		if string(request) == "k" || bytes.HasPrefix(request, []byte("vKill")) {
			_, err := io.WriteString(gdb, "+$OK#9a")
			return err
		}
		answer, err := b.answer(request)
		if err != nil {
			return err
		}
		if _, err := gdb.Write(append([]byte{'+'}, framed(answer)...)); err != nil {
			return err
		}
	}
}

func (b *banked) answer(request []byte) ([]byte, error) {
	const known = 17 * 8 // digits of the registers that QEMU has
	if len(request) == 1+known+16 && request[0] == 'G' {
		b.extra = bytes.Clone(request[1+known:])
		request = request[:1+known]
	}
	answer, err := b.qemu.Ask("%s", request)
	if err != nil {
		return nil, err
	}
	answer = bytes.Clone(answer)
	var offset, length int
	if n, _ := fmt.Sscanf(string(request), "qXfer:features:read:target.xml:%x,%x", &offset, &length); n == 2 {
		rest := description[min(offset, len(description)):]
		if len(rest) <= length {
			return []byte("l" + rest), nil
		}
		return []byte("m" + rest[:length]), nil
	}
	if string(request) == "g" {
		answer = append(answer, b.extra...)
	}
	return answer, nil
}

// packet reads one packet of gdb's remote protocol as it is, acknowledgements
// skipped.
func packet(r *bufio.Reader) ([]byte, error) {
	if _, err := r.ReadBytes('$'); err != nil {
		return nil, err
	}
	p, err := r.ReadBytes('#')
	if err != nil {
		return nil, err
	}
	_, err = r.Discard(2)
	return p[:len(p)-1], err
}

func framed(p []byte) []byte {
	sum := byte(0)
	for _, c := range p {
		sum += c
	}
	return fmt.Appendf(nil, "$%s#%02x", p, sum)
}
