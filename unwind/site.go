package unwind

// site is all that is known of an address before registers and memory come
// into it: phase one, cached by the address that is looked up (the PC of a
// leaf, the return address - 1 of a caller, which is odd and so never a PC).
type site struct {
	key       uint32
	inCode    bool
	outermost bool
	entered   bool     // nothing calls its function directly: see code.called
	starts    bool     // key+1 is the first address of a function
	before    callSite // what is before key+1
	target    uint32   // where a direct call there leads
	fn        Range    // the function symbol around key; empty: none
	rule      Rule
	callers   []uint32 // of a call in a function that does not keep its return address: behind the calls of that function
}

// siteBits is the size of the cache: 2^siteBits addresses, each 8 bytes and
// some 200 more once it is filled. An address that falls on the place of
// another takes it; a site itself never changes.
const siteBits = 14

type siteCache [1 << siteBits]*site

// site returns what is known of key.
func (u *Unwinder) site(key uint32) *site {
	at := &u.sites[key*0x9e3779b1>>(32-siteBits)]
	if s := *at; s != nil && s.key == key {
		return s
	}
	s := u.find(key)
	*at = s
	return s
}

// find finds out what there is to know: a search in the CFI, or an analysis of
// the function's instructions.
func (u *Unwinder) find(key uint32) *site {
	c := &u.code
	s := &site{key: key, inCode: c.contains(key)}
	if !s.inCode {
		return s
	}
	if fn, ok := c.function(key); ok && fn.Contains(key) {
		s.fn = fn
	}
	if key&1 != 0 {
		ra := key + 1
		s.before, s.target = u.machine.calls(c, ra)
		fn, ok := c.function(ra)
		s.starts = ok && fn.Low == ra
	}
	bounds := s.fn
	for _, f := range u.finders {
		rule, around, ok := f.find(c, key)
		if around.High != 0 && bounds.High == 0 {
			bounds = around
		}
		if ok {
			s.rule = rule
			break
		}
	}
	s.rule.spareStack(c, bounds, key)
	s.outermost = c.outermost(key, bounds)
	if bounds.High != 0 && s.rule.keepsLink() {
		s.entered = !c.called(bounds.Low)
		if key&1 != 0 {
			s.callers = c.callers(bounds.Low)
		}
	}
	return s
}

// keepsLink tells whether the return address is in the register that every
// call overwrites.
func (r *Rule) keepsLink() bool {
	if r.cfa == unspecified || r.cfa == noCaller || r.trap {
		return false
	}
	s := r.where(r.ra)
	return s.how == unspecified || s.how == sameValue
}
