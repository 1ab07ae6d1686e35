package diff

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mprof/mprof/profile"
)

// cloneSuffix is what compilers append to the names of copies and parts of functions: GCC's
// .constprop.0, .isra.0, .part.0, .cold and .lto_priv.0, LLVM's .llvm.123 and .__uniq.123.
var cloneSuffix = regexp.MustCompile(`(\.(constprop|isra|part|cold|lto_priv|localalias|llvm|__uniq)(\.[0-9a-f]+)*)+$`)

// rustHash is the hash that ends a legacy mangled name of Rust; it differs from build to
// build (rustc, compiler/rustc_symbol_mangling).
var rustHash = regexp.MustCompile(`17h[0-9a-f]{16}E$`)

// address is the name of code that has no other.
var address = regexp.MustCompile(`^0x[0-9a-f]{8}\b`)

// identity is what a function keeps when it is compiled and linked again.
type identity struct {
	name, linkage, file string
	line                int
	label               bool
}

func identify(f *profile.Function) identity {
	id := identity{name: f.Name, linkage: f.Linkage, line: f.Line, label: f.Label}
	if f.File != "" {
		id.file = path.Clean(strings.ReplaceAll(f.File, `\`, "/"))
	}
	if !f.Label {
		id.name = cloneSuffix.ReplaceAllString(unqualified(f), "")
		id.linkage = rustHash.ReplaceAllString(cloneSuffix.ReplaceAllString(f.Linkage, ""), "")
	}
	return id
}

// unqualified is the name without what tells functions of one name apart: "init
// (uart.c)" is init, as are "init (uart.c:7)" and "init (0x08000400)".
func unqualified(f *profile.Function) string {
	i := strings.LastIndex(f.Name, " (")
	if i < 0 || !strings.HasSuffix(f.Name, ")") {
		return f.Name
	}
	where := f.Name[i+2 : len(f.Name)-1]
	if line, ok := strings.CutSuffix(where, ":"+strconv.Itoa(f.Line)); ok {
		where = line
	}
	file := strings.ReplaceAll(f.File, `\`, "/")
	if address.MatchString(where) || where != "" && (file == where || strings.HasSuffix(file, "/"+where)) {
		return f.Name[:i]
	}
	return f.Name
}

// match finds the function of new that each one of old is, None where there is
// none. Passes go from the strongest likeness to the weakest; what is in
// doubt is left to a later one, and at last alone.
func match(old, new *profile.Profile) []profile.FunctionIndex {
	m := matcher{old: identities(old), new: identities(new), to: make([]profile.FunctionIndex, len(old.Functions)), taken: make([]bool, len(new.Functions))}
	for i := range m.to {
		m.to[i] = profile.None
	}
	addresses := sameBuild(old, new) // what an address means, it means in one program
	for _, tail := range []int{0, 4, 3, 2, 1} {
		m.pass(tail == 0, func(id identity) (identity, bool) {
			id.line, id.file = 0, tailOf(id.file, tail)
			return id, addresses || !address.MatchString(id.name)
		})
	}
	m.pass(false, func(id identity) (identity, bool) { // moved
		id.line, id.file = 0, ""
		return id, !address.MatchString(id.name)
	})
	m.pass(false, func(id identity) (identity, bool) { // other parameters, other mangling
		return identity{name: id.name, label: id.label}, !address.MatchString(id.name)
	})
	m.pass(false, func(id identity) (identity, bool) { return identity{linkage: id.linkage}, id.linkage != "" })
	return m.to
}

func identities(p *profile.Profile) []identity {
	all := make([]identity, len(p.Functions))
	for i := range p.Functions {
		all[i] = identify(&p.Functions[i])
	}
	return all
}

func sameBuild(old, new *profile.Profile) bool {
	return len(old.Mapping.BuildID) > 0 && slices.Equal(old.Mapping.BuildID, new.Mapping.BuildID)
}

// tailOf is the last n elements of a path, all of it where n is 0.
func tailOf(file string, n int) string {
	elements := strings.Split(file, "/")
	if n == 0 {
		return file
	}
	return strings.Join(elements[max(0, len(elements)-n):], "/")
}

func sameFile(a, b string) bool {
	clean := func(s string) string { return tailOf(path.Clean(strings.ReplaceAll(s, `\`, "/")), 1) }
	return a == "" || b == "" || clean(a) == clean(b)
}

type matcher struct {
	old, new []identity
	to       []profile.FunctionIndex
	taken    []bool
}

// pass pairs what is left and has a key that one function on each side has. several: also
// those of which there are as many on each side, in the order of their lines.
func (m *matcher) pass(several bool, key func(identity) (identity, bool)) {
	left := map[identity][]profile.FunctionIndex{}
	for j, id := range m.new {
		if k, ok := key(id); ok && !m.taken[j] {
			left[k] = append(left[k], profile.FunctionIndex(j))
		}
	}
	groups := map[identity][]profile.FunctionIndex{}
	for i, id := range m.old {
		if k, ok := key(id); ok && m.to[i] == profile.None {
			groups[k] = append(groups[k], profile.FunctionIndex(i))
		}
	}
	for k, group := range groups {
		others := left[k]
		if len(others) != len(group) || len(group) > 1 && !several {
			continue
		}
		byLine(group, m.old)
		byLine(others, m.new)
		for n, i := range group {
			m.to[i], m.taken[others[n]] = others[n], true
		}
	}
}

func byLine(group []profile.FunctionIndex, ids []identity) {
	slices.SortStableFunc(group, func(a, b profile.FunctionIndex) int { return cmp.Compare(ids[a].line, ids[b].line) })
}
