package main

import (
	"strings"
	"testing"
)

func TestTraceCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"trace", "--port", ""}, []string{"tcp:", "sim\t"}},
		{[]string{"trace", "--sort", ""}, []string{"total", "p99", "name"}},
		{[]string{"trace", "--from", ""}, []string{"bin"}},
		{[]string{"trace", "--record", ""}, []string{"bin"}},
		{[]string{"trace", ""}, []string{"elf", "axf"}},
	} {
		s := mprof(t.Context(), nil, append([]string{"__complete"}, c.args...)...)
		for _, want := range c.want {
			if s.code != 0 || !strings.Contains(s.stdout, want) {
				t.Errorf("%q: exit code %d, no %q in %q", c.args, s.code, want, s.stdout)
			}
		}
	}
}
