package symbol

import (
	"bytes"
	"encoding/binary"
)

// Tags of the build attributes that are read or whose form must be known to
// skip them ("Addenda to, and Errata in, the ABI for the Arm Architecture",
// section Build Attributes).
const (
	tagFile           = 1
	tagCPURawName     = 4
	tagCPUName        = 5
	tagCPUArch        = 6
	tagCPUArchProfile = 7
	tagCompatibility  = 32
)

// buildAttributes are what .ARM.attributes says of the whole file.
type buildAttributes struct {
	CPU     string // as given to the compiler, "" where absent
	Arch    uint32 // Tag_CPU_arch, 0 where absent
	Profile byte   // 'M', 'A', 'R', 'S', 0 where absent
}

// parseAttributes reads the file scope of the "aeabi" vendor section. What is
// damaged is left out: these attributes are advice.
func parseAttributes(data []byte) (a buildAttributes) {
	if len(data) == 0 || data[0] != 'A' {
		return a
	}
	for data = data[1:]; len(data) > 4; {
		n := binary.LittleEndian.Uint32(data)
		if n < 4 || int64(n) > int64(len(data)) {
			return a
		}
		vendor := data[4:n]
		data = data[n:]
		if rest, ok := bytes.CutPrefix(vendor, []byte("aeabi\x00")); ok {
			a.parseVendor(rest)
		}
	}
	return a
}

func (a *buildAttributes) parseVendor(data []byte) {
	for len(data) > 5 {
		n := binary.LittleEndian.Uint32(data[1:])
		if n < 5 || int64(n) > int64(len(data)) {
			return
		}
		if data[0] == tagFile {
			a.parseFile(data[5:n])
		}
		data = data[n:]
	}
}

func (a *buildAttributes) parseFile(data []byte) {
	c := cursor{data: data}
	for len(c.data) > 0 && c.err == nil {
		switch tag := c.uleb(); {
		case tag == tagCPUName:
			a.CPU = c.cstring()
		case tag == tagCPUArch:
			a.Arch = uint32(c.uleb())
		case tag == tagCPUArchProfile:
			a.Profile = byte(c.uleb())
		case tag == tagCPURawName, tag > tagCompatibility && tag%2 == 1:
			c.cstring()
		case tag == tagCompatibility:
			c.uleb()
			c.cstring()
		default:
			c.uleb()
		}
	}
}
