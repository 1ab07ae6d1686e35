package unwind

// Choice says which methods may be used to find a caller. Exception returns
// are followed with all of them.
type Choice uint8

const (
	// Auto takes the first of all methods that knows the code: call frame
	// information, EXIDX, the instructions, frame pointers where the producer
	// makes a chain of them.
	Auto Choice = iota
	// DWARF leaves out frame pointers.
	DWARF
	// FramePointers follows frame pointers; the instructions say only where in
	// a function its frame is set up. Code whose frame pointers make no chain
	// is not unwound.
	FramePointers
)

// method is a way to find the rule at an address. Adding one adds a line to
// methods.
type method struct {
	choices []Choice // that take it
	// open gives the finder for a program; nil where the program has nothing
	// that the method could use, or the machine nothing that it needs.
	open func(u *Unwinder) finder
}

// methods are tried in this order: the first that knows an address decides.
var methods = []method{
	{[]Choice{Auto, DWARF, FramePointers}, openTraps},
	{[]Choice{Auto, DWARF, FramePointers}, openHelpers},
	{[]Choice{Auto, DWARF}, func(u *Unwinder) finder { return u.checked }},
	{[]Choice{Auto, DWARF}, openExidx},
	{[]Choice{Auto, DWARF}, func(u *Unwinder) finder { return analysis{u.machine} }},
	{[]Choice{Auto, FramePointers}, openChained},
	{[]Choice{Auto, DWARF}, func(u *Unwinder) finder { return onward{u.machine} }},
	{[]Choice{Auto, DWARF, FramePointers}, func(u *Unwinder) finder { return resumption{u.machine} }},
	{[]Choice{Auto, DWARF}, openExidxEnd},
}

// open lists the finders that a choice takes.
func (u *Unwinder) open(c Choice) (all []finder) {
	for _, m := range methods {
		for _, in := range m.choices {
			if in != c {
				continue
			}
			if f := m.open(u); f != nil {
				all = append(all, f)
			}
		}
	}
	return all
}
