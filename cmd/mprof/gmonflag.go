package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// gmonFlag is how gmon.out is written: bucket=4,limits=0x08000000-0x08010000,big-endian.
type gmonFlag struct{ export.Gmon }

func addGmon(flags *pflag.FlagSet, f *gmonFlag) {
	flags.Var(f, "gmon", "how gmon.out is written: bucket=BYTES of code that share a count (default 2), limits=LOW-HIGH: only addresses in there, big-endian; with commas between them")
}

func (f *gmonFlag) Type() string { return "options" }

func (f *gmonFlag) String() string {
	var parts []string
	if f.Bucket != 0 {
		parts = append(parts, fmt.Sprintf("bucket=%d", f.Bucket))
	}
	if f.High != 0 {
		parts = append(parts, fmt.Sprintf("limits=0x%x-0x%x", f.Low, f.High))
	}
	if f.BigEndian {
		parts = append(parts, "big-endian")
	}
	return strings.Join(parts, ",")
}

// Set takes the options of one flag; a further flag starts anew.
func (f *gmonFlag) Set(text string) error {
	var g export.Gmon
	for _, option := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(option, "=")
		var err error
		switch {
		case name == "bucket":
			g.Bucket, err = gmonNumber(value)
			if err == nil && g.Bucket == 0 {
				err = errors.New("0 bytes of code hold no count")
			}
		case name == "limits":
			low, high, _ := strings.Cut(value, "-")
			if g.Low, err = gmonNumber(low); err == nil {
				g.High, err = gmonNumber(high)
			}
			if err == nil && g.High == 0 {
				err = errors.New("the end is 0")
			}
		case option == "big-endian":
			g.BigEndian = true
		default:
			err = errors.New("the options are bucket=BYTES, limits=LOW-HIGH and big-endian")
		}
		if err != nil {
			return fmt.Errorf("%q: %w", option, err)
		}
	}
	if err := g.Check(); err != nil {
		return err
	}
	f.Gmon = g
	return nil
}

// gmonNumber is decimal, or hexadecimal with 0x.
func gmonNumber(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of 32 bits", text)
	}
	return uint32(n), nil
}

// gmonRemarks is what a user must know of an output that is a gmon.out.
func (o *outputs) gmonRemarks(p *profile.Profile, path string) []string {
	if f, err := export.ByPath(path); err == nil && f.Ext == export.GmonExt {
		return o.gmon.Remarks(p)
	}
	return nil
}
