package disasm

import (
	"fmt"
	"strings"
)

// A row of a table of instructions: words that equal value in the bits of mask have the text, in
// which {field} stands for what a field prints. The first row that fits counts.
type row struct {
	mask, value uint32
	text        string
}

// piece prints a literal, or a field where put is not nil.
type piece[T any] struct {
	literal string
	put     func(T)
}

// pattern is a row with its text taken apart.
type pattern[T any] struct {
	mask, value uint32
	pieces      []piece[T]
}

// compile takes the texts of rows apart. A field that find does not know is a mistake in the
// table: it panics, when the table is first used.
func compile[T any](rows []row, find func(name string) func(T)) []pattern[T] {
	patterns := make([]pattern[T], len(rows))
	for i, r := range rows {
		if r.value&^r.mask != 0 {
			panic(fmt.Sprintf("disasm: %q has bits outside of its mask", r.text))
		}
		patterns[i] = pattern[T]{r.mask, r.value, pieces(r.text, find)}
	}
	return patterns
}

func pieces[T any](text string, find func(name string) func(T)) (all []piece[T]) {
	for text != "" {
		literal, rest, found := strings.Cut(text, "{")
		if literal != "" {
			all = append(all, piece[T]{literal: literal})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		put := find(name)
		if put == nil {
			panic(fmt.Sprintf("disasm: no field {%s}", name))
		}
		all, text = append(all, piece[T]{put: put}), after
	}
	return all
}

// index finds the first pattern that fits a word by some of its bits: each bucket has the patterns
// that a word with those bits can fit, in their order.
type index[T any] struct {
	shift, mask uint32
	buckets     [][]pattern[T]
}

// newIndex sorts patterns by the width bits of a word from shift on.
func newIndex[T any](width, shift uint32, patterns []pattern[T]) *index[T] {
	x := &index[T]{shift, 1<<width - 1, make([][]pattern[T], 1<<width)}
	for key := range x.buckets {
		for _, p := range patterns {
			if uint32(key)&(p.mask>>shift) == p.value>>shift&x.mask {
				x.buckets[key] = append(x.buckets[key], p)
			}
		}
	}
	return x
}

func (x *index[T]) find(word uint32) *pattern[T] {
	bucket := x.buckets[word>>x.shift&x.mask]
	for i := range bucket {
		if p := &bucket[i]; word&p.mask == p.value {
			return p
		}
	}
	return nil
}
