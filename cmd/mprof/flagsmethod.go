package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/session/sampling"
)

// methodFlag is a way to sample, or to read samples.
type methodFlag struct {
	value *string
	known []string
}

// newMethodFlag sets what the flag sets to auto.
func newMethodFlag(value *string, known ...string) *methodFlag {
	*value = sampling.MethodAuto
	return &methodFlag{value, append([]string{sampling.MethodAuto}, known...)}
}

func (m *methodFlag) String() string { return *m.value }
func (m *methodFlag) Type() string   { return strings.Join(m.known, "|") }

func (m *methodFlag) Set(s string) error {
	if !slices.Contains(m.known, s) {
		return fmt.Errorf("%q is no method: use one of %s", s, strings.Join(m.known, ", "))
	}
	*m.value = s
	return nil
}
