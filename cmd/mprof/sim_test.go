package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/session/target"
)

const (
	echoSTM32 = "../../sim/testdata/echo-f405.elf"
	echoMPS2  = "../../sim/testdata/echo-mps2.elf"
)

// startSim runs `mprof sim` as a process; want finds in its first lines what it
// says of a UART.
func startSim(t *testing.T, want string, args ...string) (found string, cmd *exec.Cmd, in io.Writer, out io.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0], append([]string{"sim"}, args...)...)
	cmd.Env = append(os.Environ(), "MPROF_TEST_AS_COMMAND=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	from := out
	if strings.Contains(strings.Join(args, " "), "stdio") {
		from = io.Reader(said)
	}
	pattern := regexp.MustCompile(want)
	var all []byte
	for p := make([]byte, 1); ; {
		if _, err := from.Read(p); err != nil {
			rest, _ := io.ReadAll(said)
			t.Fatalf("mprof sim %v: %s%s", args, all, rest)
		}
		if all = append(all, p[0]); p[0] == '\n' {
			if m := pattern.FindSubmatch(all); m != nil {
				return string(m[1]), cmd, in, out
			}
		}
	}
}

// answers sends and expects the echo, whose bit 5 is turned.
func answers(t *testing.T, port io.ReadWriter, text string) {
	t.Helper()
	if _, err := io.WriteString(port, text); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(port, got); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i] ^= 0x20
	}
	if string(got) != text {
		t.Errorf("%q came back as %q", text, got)
	}
}

// A program that knows nothing of the board opens the pseudo-terminal as a
// file: what terminals do to control characters is off. It may close it and
// come back.
func TestSimPty(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no pseudo-terminals here")
	}
	name, cmd, _, _ := startSim(t, `USART2 \(STM32, 0x40004400, 117647 baud\): (\S+): mprof trace --port`, echoSTM32)
	for range 2 {
		port, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		answers(t, port, "hello\r\n\x03\x04\x11\x13\xff\x00")
		port.Close()
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

// One connection after the other, on a board without a default.
func TestSimTCP(t *testing.T) {
	address, _, _, _ := startSim(t, `UART1 \(CMSDK, 0x40005000[^)]*\): tcp:(\S+): `, "--uart", "UART1=tcp:0", "--duration", "30", echoMPS2)
	for range 2 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		answers(t, conn, strings.Repeat("0123456789", 20))
		conn.Close()
	}
}

func TestSimStdio(t *testing.T) {
	_, cmd, in, out := startSim(t, `(USART1) .*this terminal`, "--uart", "USART1=stdio", echoSTM32)
	answers(t, struct {
		io.Reader
		io.Writer
	}{out, in}, "through a pipe\n")
	_ = cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

func TestSimCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"sim", "--uart", "teletype", echoSTM32}, 2, "[UART=]pty"},
		{[]string{"sim", "--uart", "USART9=pty", echoSTM32}, 2, "USART1, USART2"},
		{[]string{"sim", "--board", "nucleo", echoSTM32}, 2, "mps2-an385"},
		{[]string{"sim", "--clock", "fast", echoSTM32}, 2, "write Hz"},
		{[]string{"sim", "--uart", "tcp:nowhere:99999", echoSTM32}, 2, "99999"},
		{[]string{"sim", "no-such.elf"}, 1, "no-such.elf"},
		{[]string{"sim", "--duration", "0.05", "--board", "none", echoMPS2}, 0, "no serial port"},
		{[]string{"sim", "--duration", "0.05", "--uart", "none", echoMPS2}, 0, "no serial port"},
		{[]string{"sim", "--uart", "pty", "--board", "none", echoMPS2}, 2, "no UART"},
	} {
		var out bytes.Buffer
		if code := run(c.args, &out, &out); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, out.String())
		}
	}
}

// --port sim is a board in this process.
func TestOpenSimPort(t *testing.T) {
	elf, err := os.ReadFile(echoSTM32)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, spec := range []string{"sim", "sim:clock=16M", "sim:uart=usart1,clock=16M", "sim:uart=USART6,board=stm32f405"} {
		port, err := target.OpenSimPort(ctx, spec, elf)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		answers(t, port, "in this process")
		port.Close()
	}
	for spec, want := range map[string]string{
		"sim:uart=USART9": "USART9", "sim:clock=0": "clock", "sim:nonsense": "uart=USART2", "sim:board=none": "no UART",
	} {
		if port, err := target.OpenSimPort(ctx, spec, elf); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", spec, err)
			if err == nil {
				port.Close()
			}
		}
	}
}
