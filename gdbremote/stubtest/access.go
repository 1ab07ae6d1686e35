package stubtest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// access reads and writes registers and memory.
func (c *session) access(body string) string {
	switch body[0] {
	case 'g':
		return c.all()
	case 'p':
		return c.one(body[1:])
	case 'P':
		return c.setOne(body[1:])
	case 'm', 'x':
		return c.read(body[0], body[1:])
	case 'M', 'X':
		return c.write(body[0], body[1:])
	}
	return ""
}

// digits is a register as it goes over the wire.
func (c *session) digits(r Register) string {
	name := r.Core
	if name == "" {
		name = r.Name
	}
	raw := make([]byte, max(8, (r.Bits+7)/8))
	binary.LittleEndian.PutUint32(raw, c.Core.Register(name))
	return hex.EncodeToString(raw[:(r.Bits+7)/8])
}

func (c *session) all() string {
	var b strings.Builder
	for _, r := range c.is.Registers[:c.is.InG] {
		b.WriteString(c.digits(r))
	}
	return b.String()
}

func (c *session) find(number string) *Register {
	n, err := strconv.ParseUint(number, 16, 32)
	if err != nil || c.is.NumbersLater && !c.numbered && n >= uint64(c.is.InG) {
		return nil
	}
	for i := range c.is.Registers {
		if c.is.Registers[i].Num == int(n) {
			return &c.is.Registers[i]
		}
	}
	return nil
}

func (c *session) one(number string) string {
	if r := c.find(number); r != nil {
		return c.digits(*r)
	}
	return "E14"
}

func (c *session) setOne(text string) string {
	number, value, _ := strings.Cut(text, "=")
	r := c.find(number)
	raw, err := hex.DecodeString(value)
	if r == nil || err != nil || len(raw) != (r.Bits+7)/8 {
		return "E14"
	}
	name := r.Core
	if name == "" {
		name = r.Name
	}
	c.Core.SetNamed(name, binary.LittleEndian.Uint32(append(raw, 0, 0, 0, 0)))
	return "OK"
}

func (c *session) read(kind byte, text string) string {
	binaries := strings.Contains(c.is.Features, "binary-upload+")
	addr, n, err := pair(text)
	if kind == 'x' && !binaries {
		return ""
	}
	if err != nil || c.is.MostRead > 0 && int(n) > c.is.MostRead || n > 1<<20 {
		return "E22"
	}
	p := make([]byte, n)
	if !c.Core.Load(addr, p) {
		return "E14"
	}
	if kind == 'x' {
		return "b" + string(p)
	}
	return hex.EncodeToString(p)
}

func (c *session) write(kind byte, text string) string {
	where, data, _ := strings.Cut(text, ":")
	addr, n, err := pair(where)
	p := []byte(data)
	if kind == 'M' && err == nil {
		p, err = hex.DecodeString(data)
	}
	if err != nil || int(n) != len(p) {
		return fmt.Sprintf("E%02x", 0x16)
	}
	if !c.Core.Store(addr, p) {
		return "E14"
	}
	return "OK"
}
