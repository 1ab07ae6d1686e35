package demo_test

import (
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/firmwaretest"
)

func TestRebuild(t *testing.T) { firmwaretest.Rebuild(t, demo.ELF, "demo.elf") }
