package symbol

import "strings"

// rustName joins the two names that a Rust function has: the path of its mangled
// one, which says of what type and trait it is, and its own in DWARF, which
// tells closures apart and has type arguments that the older mangling turns into a hash:
//
//	core::ptr::write_volatile            write_volatile<u32>  core::ptr::write_volatile<u32>
//	core::ptr::write_volatile::<u32>     write_volatile<u32>  core::ptr::write_volatile<u32>
//	<app::Led as app::Pin>::set          set                  <app::Led as app::Pin>::set
//	app::blink::{{closure}}              {async_fn#0}         app::blink::{async_fn#0}
//
// A debugger shows the last part as DWARF has it, whatever the mangling.
func rustName(name, plain string) string {
	if plain == "" || len(name)+len(plain) > 1<<maxDemangled {
		return name
	}
	at := lastPart(name)
	if strings.HasPrefix(name[at:], "<") && at > 0 { // type arguments, behind "::" of their own
		at = lastPart(name[:at-len("::")])
	}
	return name[:at] + plain
}

// lastPart is where the last part of a Rust path begins: behind the last "::"
// that is in no brackets. The '>' of "->" is none.
func lastPart(path string) int {
	depth := 0
	for i := len(path) - 1; i > 0; i-- {
		switch c := path[i]; {
		case c == '>' && path[i-1] == '-':
			i--
		case c == '>' || c == ')' || c == ']' || c == '}':
			depth++
		case c == '<' || c == '(' || c == '[' || c == '{':
			depth--
		case c == ':' && path[i-1] == ':' && depth == 0:
			return i + 1
		}
	}
	return 0
}
