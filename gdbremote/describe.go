package gdbremote

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of a description: QEMU's has 8 files and OpenOCD's for RISC-V thousands
// of registers.
const (
	mostDescription = 2 << 20
	mostFiles       = 64
	mostRegisters   = 16 << 10
	mostRegisterNum = 1 << 20
	mostBits        = 1 << 16
)

// descriptionTimeouts is how long reading all of it may take, in Options.Timeout.
const descriptionTimeouts = 6

// described is a target description (GDB manual, G "Target Descriptions").
type described struct {
	arch      string // as in "arm", "riscv:rv32"
	features  []string
	registers []describedRegister
}

// describedRegister is one register.
type describedRegister struct {
	name    string
	feature string
	num     int // the number that p takes
	bits    int
}

// describer reads the files of a description.
type describer struct {
	read  func(name string) ([]byte, error)
	files int
	bytes int
	next  int // the number of a register that gives none
	out   described
}

// readDescription reads target.xml and the files that it includes.
func readDescription(read func(name string) ([]byte, error)) (described, error) {
	d := describer{read: read}
	err := d.file("target.xml")
	return d.out, err
}

// file reads one file in the place where it is included.
func (d *describer) file(name string) error {
	if d.files++; d.files > mostFiles {
		return fmt.Errorf("gdbremote: target description: more than %d files", mostFiles)
	}
	text, err := d.read(name)
	if err != nil {
		return err
	}
	if d.bytes += len(text); d.bytes > mostDescription {
		return fmt.Errorf("gdbremote: target description: longer than %d bytes", mostDescription)
	}
	x := xml.NewDecoder(bytes.NewReader(text))
	// Every description in use is ASCII, whatever its declaration says.
	x.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	feature, inArch := "", false
	for {
		token, err := x.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("gdbremote: target description %s: %w", name, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inArch = t.Name.Local == "architecture"
			if t.Name.Local == "feature" {
				feature = attribute(t, "name")
				d.out.features = append(d.out.features, feature)
			}
			if err := d.element(t, feature); err != nil {
				return err
			}
		case xml.EndElement:
			inArch = false
		case xml.CharData:
			if inArch && d.out.arch == "" {
				d.out.arch = strings.TrimSpace(string(t))
			}
		}
	}
}

func (d *describer) element(t xml.StartElement, feature string) error {
	switch t.Name.Local {
	case "include":
		return d.file(attribute(t, "href"))
	case "reg":
		return d.register(t, feature)
	}
	return nil
}

func (d *describer) register(t xml.StartElement, feature string) error {
	r := describedRegister{name: strings.ToLower(attribute(t, "name")), feature: feature, num: d.next}
	if text := attribute(t, "regnum"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > mostRegisterNum {
			return fmt.Errorf("gdbremote: target description: register %s has the number %q", r.name, text)
		}
		r.num = n
	}
	bits, err := strconv.Atoi(attribute(t, "bitsize"))
	if err != nil || bits < 1 || bits > mostBits {
		return fmt.Errorf("gdbremote: target description: register %s has %q bits", r.name, attribute(t, "bitsize"))
	}
	if len(d.out.registers) == mostRegisters {
		return fmt.Errorf("gdbremote: target description: more than %d registers", mostRegisters)
	}
	r.bits, d.next = bits, r.num+1
	d.out.registers = append(d.out.registers, r)
	return nil
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readFeature reads a file of the description from the server, in parts.
func (c *Client) readFeature(ctx context.Context, name string) ([]byte, error) {
	var text []byte
	for {
		request := fmt.Sprintf("qXfer:features:read:%s:%x,%x", name, len(text), c.packetSize-5)
		p, err := c.ask(ctx, request)
		switch {
		case err != nil:
			return nil, err
		case isRefusal(p), p[0] != 'm' && p[0] != 'l':
			return nil, refusal(request, p)
		}
		text = append(text, p[1:]...)
		if len(text) > mostDescription {
			return nil, fmt.Errorf("gdbremote: target description %s: longer than %d bytes", name, mostDescription)
		}
		if p[0] == 'l' || len(p) == 1 {
			return text, nil
		}
	}
}

// describe finds out which registers there are and how they are numbered.
func (c *Client) describe(ctx context.Context) error {
	var d described
	if c.features.has("qXfer:features:read") {
		whole, cancel := context.WithTimeout(ctx, descriptionTimeouts*c.timeout)
		defer cancel()
		var err error
		d, err = readDescription(func(name string) ([]byte, error) { return c.readFeature(whole, name) })
		var refused *RefusedError
		switch {
		case errors.As(err, &refused):
			c.remarks = append(c.remarks, "the server announces a description of the target's registers and refuses it ("+refused.Answer+")")
			d = described{}
		case whole.Err() != nil && ctx.Err() == nil:
			return timeoutError("target description", descriptionTimeouts*c.timeout)
		case err != nil:
			return err
		}
	}
	l, err := layoutOf(d, c.arch)
	c.layout = l
	return err
}
