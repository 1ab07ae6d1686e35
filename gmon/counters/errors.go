package counters

import (
	"errors"
	"fmt"
	"time"
)

// What a target says that has nothing to fetch.
var (
	// ErrNotStarted: the block is there and profile_on has never been called.
	ErrNotStarted = errors.New("gmon: the firmware has not called profile_on yet")
	// ErrOff: profile_off was called, or a later profile_on has failed. So it looks, too, while
	// the target clears.
	ErrOff = errors.New("gmon: profiling is off on the target: profile_off clears the counters")
)

// VersionError is a block of another layout, or memory that is no block at all.
type VersionError struct{ Addr, Version uint32 }

func (e *VersionError) Error() string {
	if e.Version>>16 == version>>16 {
		return fmt.Sprintf("gmon: %s at 0x%08x has layout %d, and this mprof reads layout %d", Symbol, e.Addr, e.Version&0xFFFF, version&0xFFFF)
	}
	return fmt.Sprintf("gmon: at 0x%08x is no %s: its version word is 0x%08x", e.Addr, Symbol, e.Version)
}

// NoRoomError is profile_on that found too little memory.
type NoRoomError struct{ Wanted uint32 }

func (e *NoRoomError) Error() string {
	return fmt.Sprintf("gmon: profile_on found no room for its counters on the target: it wants %d bytes", e.Wanted)
}

// DamagedError is a block that firmware/gprof does not write.
type DamagedError struct {
	Addr    uint32
	Problem string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("gmon: %s at 0x%08x is damaged: %s", Symbol, e.Addr, e.Problem)
}

// ChangingError is a target that cleared its counters each time they were read.
type ChangingError struct{ Tries int }

func (e *ChangingError) Error() string {
	return fmt.Sprintf("gmon: the firmware cleared its counters while they were read, %d times in a row", e.Tries)
}

// ResetError is a target that did not clear its counters when asked.
type ResetError struct{ Waited time.Duration }

func (e *ResetError) Error() string {
	return fmt.Sprintf("gmon: the firmware did not clear its counters within %.3g s: the interrupt of its profile timer does not come", e.Waited.Seconds())
}
