package stm32

// pin is a place where a signal can be: a port (0 is A), a number and the
// alternate function that brings the signal there.
type pin struct{ port, number, function int }

// pins are those that a USART can have.
type pins struct {
	gpio   *[ports]*gpio
	tx, rx []pin
}

// ports is how many GPIO ports there are: A to I.
const ports = 9

func (p *pins) transmits() bool { return p.one(p.tx) }
func (p *pins) receives() bool  { return p.one(p.rx) }

// one says whether any of the pins is the signal's.
func (p *pins) one(of []pin) bool {
	for _, at := range of {
		if p.gpio[at.port].function(at.number) == at.function {
			return true
		}
	}
	return false
}
