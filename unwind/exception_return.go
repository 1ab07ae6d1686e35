package unwind

// excReturn is an EXC_RETURN value: what a processor puts into LR when it takes
// an exception (ARMv7-M ARM B1.5.8; ARMv8-M ARM, "EXC_RETURN, Exception Return
// Payload"). Cores without the Security Extension take and leave their only
// state: the values of ARMv6-M and ARMv7-M have S and ES 1, those of ARMv8-M
// both 0.
type excReturn uint32

const (
	excES    = 1 << 0 // the handler runs in Secure state
	excSPSEL = 1 << 2 // CONTROL.SPSEL of the handler's security state, before
	excMode  = 1 << 3 // thread mode was interrupted
	excFType = 1 << 4 // 0: the frame has floating-point state
	excDCRS  = 1 << 5 // 0: R4-R11 were on the stack when the exception was taken
	excS     = 1 << 6 // Secure state was interrupted
)

func (e excReturn) thread() bool   { return e&excMode != 0 }
func (e excReturn) spsel() bool    { return e&excSPSEL != 0 }
func (e excReturn) extended() bool { return e&excFType == 0 }
func (e excReturn) toSecure() bool { return e&excS != 0 }

// flips tells whether handler and interrupted code are in different states.
func (e excReturn) flips() bool { return e>>6&1 != e&1 }

// callee tells whether R4-R11 are in the frame: they are where a Secure state
// was interrupted by a Non-secure exception, or by a Secure one that was tail-
// chained to one (ARMv8-M ARM, PopStack).
func (e excReturn) callee() bool { return e.toSecure() && (e&excES == 0 || e&excDCRS == 0) }

// excValues are EXC_RETURN values of an architecture: those of low, with the bits
// of either free. Bits 31 to 8 are 1.
type excValues struct{ low, either uint8 }

// exceptionModel is what an architecture adds to the table.
type exceptionModel struct {
	name   string
	values []excValues
}

// exceptionModels are the architectures. That a program was built for one does
// not say that it runs on it: code for ARMv7-M sees the values of ARMv8-M there.
var exceptionModels = []exceptionModel{armv6mExceptions, armv7mExceptions, armv8mExceptions, armv8mSecurityExceptions}

// architected tells of the low byte of 0xFFFFFFxx whether some architecture
// makes it.
var architected = func() (t [256]bool) {
	for _, m := range exceptionModels {
		for _, r := range m.values {
			for free := uint8(0); ; free = (free - r.either) & r.either { // every subset of either
				t[r.low|free] = true
				if free == r.either {
					break
				}
			}
		}
	}
	return t
}()

// excReturnOf knows the values that a processor makes and no others: a stack
// holds many words that begin with 0xFFFFFF.
func excReturnOf(v uint32) (excReturn, bool) {
	return excReturn(v), v>>8 == 0xffffff && architected[v&0xff]
}
