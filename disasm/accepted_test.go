package disasm_test

import (
	"regexp"
	"strings"

	"github.com/mprof/mprof/disasm"
)

// foreign are the names that objdump gives to code that no M-profile core has, whatever it was
// told the core is, with what they are.
var foreign = []struct {
	reason string
	name   *regexp.Regexp
}{
	{"the FPA of 1993: coprocessors 1 and 2", regexp.MustCompile(`^((adf|muf|suf|rsf|dvf|rdf|pow|rpw|rmf|fml|fdv|frd|pol|mvf|mnf|abs|rnd|sqt|log|lgn|exp|sin|cos|tan|asn|acs|atn|urd|nrm|flt|fix)(s|d|e|p|m|z|<)|ldf|stf|lfm|sfm|(wfs|rfs|wfc|rfc|cmf|cnf)$|cmfe|cnfe)`)},
	{"Maverick: coprocessors 4 to 6", regexp.MustCompile(`^cf`)},
	{"XScale: coprocessor 0", regexp.MustCompile(`^(mar|mra|mia|miaph)$`)},
	{"iWMMXt: coprocessors 0 and 1", regexp.MustCompile(`^(w[a-km-z]|tand|tbcst|text|tinsr|tmov|torc|tmcr|tmrc|tmi|torvs)`)},
	{"Advanced SIMD", simd},
	{"ARM-A and ARM-R", regexp.MustCompile(`^(setpan|setend|hlt|blx|bxj|srs..|rfe..|rfe|crc32c?.|hvc|smc|eret|subs|strexd|ldrexd|stlexd|ldaexd|cps.*|ldr\?\?.*|str\?\?.*|undefined.*|dcps.)$`)},
	{"branch futures of ARMv8.1-M", regexp.MustCompile(`^(bf|bfl|bflx|bfx|bfcsel)$`)},
}

var simd = regexp.MustCompile(`^(v.*|aes.*|sha.*)$`)

// scalar are the instructions of Advanced SIMD with the coprocessor numbers of the FPU.
var scalar = regexp.MustCompile(`^(vmov[a-z]{0,2}\.([su]?8|[su]?16|32)|vdup[a-z]{0,2}\..*|vjcvt.*|.*bf16.*|vfm[as]l.*)$`)

var shift81 = regexp.MustCompile(`^(lsll|lsrl|asrl|[us]q?r?sh[lr]l?)`)

var shift64 = regexp.MustCompile(`^(sll|srl|sra|ror|bclr|bext|binv|bset)\t.*,0x[23].$`)

// accepted tells whether a difference to objdump is one that is meant, and why.
func accepted(ours disasm.Instruction, theirs line) (reason string, ok bool) {
	mnemonic, operands, _ := strings.Cut(theirs.text, "\t")
	if ours.Mnemonic == ".4byte" && shift64.MatchString(theirs.text) {
		return "shifts by more than 31, of RV64", true
	}
	undefined := ours.Mnemonic == disasm.Undefined
	generic := regexp.MustCompile(`^(ldc|stc|mcr|mrr?c|cdp)`).MatchString(ours.Mnemonic)
	cp := ours.Raw >> 8 & 15
	if undefined && regexp.MustCompile(`^(vld|vst|fld|fst|vpush|vpop|vscclrm)`).MatchString(mnemonic) && tooMany(ours.Raw) {
		return "registers that the FPU has not", true
	}
	for _, f := range foreign {
		if f.name == simd && ours.Raw>>26&3 == 3 && ours.Raw>>24&15 != 15 && cp >= 9 && cp <= 11 && !scalar.MatchString(mnemonic) {
			continue
		}
		if f.name.MatchString(mnemonic) && (undefined || generic) {
			return f.reason, true
		}
	}
	if strings.HasPrefix(ours.Mnemonic, "cs") || strings.HasPrefix(ours.Mnemonic, "cin") || strings.HasPrefix(ours.Mnemonic, "cneg") {
		return "conditional selections of ARMv8.1-M", strings.HasPrefix(operands, "\t@ "+disasm.Undefined)
	}
	if strings.HasPrefix(ours.Mnemonic, mnemonic) && (mnemonic == "bxns" || mnemonic == "blxns") {
		return "a condition that objdump does not print", true
	}
	if shift81.MatchString(ours.Mnemonic) || undefined && ours.Raw>>20 == 0xea5 {
		return "shifts of ARMv8.1-M", strings.HasPrefix(mnemonic, "orrs") || strings.HasPrefix(mnemonic, "movs") || strings.HasPrefix(operands, "\t@ "+disasm.Undefined)
	}
	theirsGeneric := regexp.MustCompile(`^(ldc|stc|mcr|mrr?c|cdp)`).MatchString(mnemonic)
	switch {
	case undefined && strings.Contains(operands, ", s32") || strings.Contains(operands, "<overflow reg"):
		return "registers that the FPU has not", true
	case undefined && strings.Contains(mnemonic, "?") || strings.Contains(operands, "<invalid reg"):
		return "undefined for objdump, too", true
	case undefined && theirsGeneric && cp>>2 == 2:
		return "coprocessors 8 to 11 are the FPU's", true
	case undefined && theirsGeneric && ours.Raw>>21&15 == 0:
		return "a coprocessor's transfer without P, U and W", true
	case undefined && strings.Contains(operands, "<undefined>"):
		return "undefined for objdump, too", true
	case undefined && strings.Contains(operands, "(UNDEF: ") || undefined && regexp.MustCompile(`_(usr|fiq|irq|svc|abt|und|mon|hyp)\b`).MatchString(operands):
		return "banked registers of ARM-A", true
	}
	return "", false
}

// tooMany tells whether a load or store of several registers of the FPU goes beyond the last one, or has none.
func tooMany(word uint32) bool {
	first, count := word>>12&15<<1|word>>22&1, word&0xff
	if word>>8&1 != 0 {
		first, count = word>>22&1<<4|word>>12&15, count/2
	}
	return count == 0 || first+count > 32
}
