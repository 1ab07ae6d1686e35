package sim

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/mprof/mprof/sim/armv7m"
)

// Tags of .ARM.attributes (ARM IHI 0045, 3.3).
const (
	tagFile       = 1
	tagCPURawName = 4
	tagCPUName    = 5
	tagCPUArch    = 6
	tagProfile    = 7
	tagFPArch     = 10
	tagHardFPUse  = 27
	tagCompat     = 32
)

// readArch chooses the architecture from the build attributes.
func (img *image) readArch() error {
	s := img.file.Section(".ARM.attributes")
	if s == nil {
		img.arch = armv7m.V7EM
		if img.flags&hardFloat != 0 {
			img.fp = floatingPoint{arch: fpVFPv4D16, single: true}
		}
		img.remarks = append(img.remarks, "The ELF does not say for which processor it was built (no .ARM.attributes): running it as ARMv7E-M.")
		return nil
	}
	data, err := s.Data()
	if err != nil {
		return errors.New("a truncated ELF file: .ARM.attributes is not all there")
	}
	tags, err := readAttributes(data)
	if err != nil {
		return err
	}
	return img.chooseArch(tags)
}

// chooseArch maps Tag_CPU_arch (ARM IHI 0045, table 3-1).
func (img *image) chooseArch(tags map[uint64]uint64) error {
	remark := func(s string) { img.remarks = append(img.remarks, s) }
	switch arch := tags[tagCPUArch]; arch {
	case 11, 12:
		img.arch = armv7m.V6M
	case 10:
		if p := tags[tagProfile]; p != 0 && p != 'M' {
			return fmt.Errorf("an ELF for ARMv7-%c, not for a Cortex-M", rune(p))
		}
		img.arch = armv7m.V7M
	case 13:
		img.arch = armv7m.V7EM
	case 16:
		img.arch = armv7m.V7M
		remark("Built for ARMv8-M Baseline: running it as ARMv7-M; TrustZone instructions fault.")
	case 17, 21:
		img.arch = armv7m.V7EM
		remark("Built for ARMv8-M Mainline: running it as ARMv7E-M; TrustZone, acquire/release and Helium instructions fault.")
	default:
		return fmt.Errorf("an ELF for ARM architecture %d of the build attributes, not for a Cortex-M", arch)
	}
	img.fp = floatingPoint{arch: tags[tagFPArch], single: tags[tagHardFPUse] == 1}
	return nil
}

// readAttributes collects the file attributes of vendor "aeabi" that are
// numbers.
func readAttributes(b []byte) (map[uint64]uint64, error) {
	damaged := errors.New("a damaged ELF file: .ARM.attributes cannot be read")
	tags := map[uint64]uint64{}
	if len(b) == 0 || b[0] != 'A' {
		return nil, damaged
	}
	for b = b[1:]; len(b) >= 4; {
		n := binary.LittleEndian.Uint32(b)
		if n < 5 || uint64(n) > uint64(len(b)) {
			return nil, damaged
		}
		vendor, body, ok := cutString(b[4:n])
		b = b[n:]
		if !ok || vendor == "aeabi" && !readSubsections(body, tags) {
			return nil, damaged
		}
	}
	return tags, nil
}

// readSubsections reads the tag, size and contents of each; those of single
// sections and symbols are passed over.
func readSubsections(b []byte, tags map[uint64]uint64) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || len(b) < n+4 {
			return false
		}
		size := binary.LittleEndian.Uint32(b[n:])
		if uint64(size) < uint64(n+4) || uint64(size) > uint64(len(b)) {
			return false
		}
		if tag == tagFile && !readTags(b[n+4:size], tags) {
			return false
		}
		b = b[size:]
	}
	return true
}

// readTags reads tag-value pairs. Above 32 odd tags have strings and even ones
// numbers.
func readTags(b []byte, tags map[uint64]uint64) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return false
		}
		b = b[n:]
		number := tag != tagCPURawName && tag != tagCPUName && (tag <= tagCompat || tag%2 == 0)
		if number {
			v, n := binary.Uvarint(b)
			if n <= 0 {
				return false
			}
			tags[tag] = v
			b = b[n:]
		}
		if !number || tag == tagCompat {
			_, rest, ok := cutString(b)
			if !ok {
				return false
			}
			b = rest
		}
	}
	return true
}

// cutString takes a zero-terminated string.
func cutString(b []byte) (s string, rest []byte, ok bool) {
	for i, c := range b {
		if c == 0 {
			return string(b[:i]), b[i+1:], true
		}
	}
	return "", nil, false
}
