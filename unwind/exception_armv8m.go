package unwind

// ARMv8-M without the Security Extension: S and ES are 0, DCRS is 1.
var armv8mExceptions = exceptionModel{"ARMv8-M", []excValues{
	{0xb0, 0}, {0xb8, excSPSEL},
	{0xa0, 0}, {0xa8, excSPSEL},
}}

// ARMv8-M with the Security Extension (ARMv8-M ARM, ExceptionTaken): any state
// may interrupt any. SPSEL is that of the handler's state and so says nothing of
// the mode. DCRS is 0 only in a Secure handler that was tail-chained to a
// Non-secure one, with Secure code behind both.
var armv8mSecurityExceptions = exceptionModel{"ARMv8-M with the Security Extension", []excValues{
	{0xa0, excFType | excMode | excSPSEL | excES},
	{0xe0, excFType | excMode | excSPSEL | excES},
	{0xc1, excFType | excMode | excSPSEL},
}}

// The additional state context stands below the frame (ARMv8-M ARM,
// PushCalleeStack): a signature, a reserved word, R4-R11. Bit 0 of the signature
// is FType.
const (
	calleeWords     = 10
	calleeRegisters = 2 // where R4 stands
	signature       = 0xfefa125a
)

func (e excReturn) signed(v uint32) bool { return v == signature|uint32(e)>>4&1 }

// Where FPCCR.TS is set, floating-point state of the Secure state takes S16-S31,
// too, above S0-S15, FPSCR and VPR.
const (
	secretWords = 16
	fpccr       = 0xe000ef34
	fpccrTS     = 1 << 26
	archV8M     = 16 // Tag_CPU_arch: the first of ARMv8-M
)

// secret tells whether a Secure frame has S16-S31. TS is a setting of the
// Secure state's that a snapshot seldom has.
func (w *walk) secret() (yes, known bool) {
	if a := w.u.code.p.CPUArch; a != 0 && a < archV8M {
		return false, true
	}
	for i := range w.s.Windows {
		if p := within(&w.s.Windows[i], fpccr, 4); p != nil {
			return p[3]&(fpccrTS>>24) != 0, true
		}
	}
	return false, false
}
