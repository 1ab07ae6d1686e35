package trace

import (
	"bytes"
	"context"
	"time"
)

// negotiate finds out who is there. Firmware of version 1 may refuse or ignore a
// GET_METADATA with a body; other firmware frames its packets otherwise, or has no
// receive line at all and only talks.
func (s *Session) negotiate(ctx context.Context) error {
	begun := time.Now()
	for round := 0; ; round++ {
		found, err := s.approach(ctx, round)
		if err != nil {
			return err
		}
		if found {
			break
		}
		waited := time.Since(begun)
		over := waited >= s.o.Patience && round+1 >= approaches // the machine may have been busy with others
		if s.noMetadata || over && (s.heard.packets == 0 || s.heard.answers > 0 || waited >= s.answerTime()) {
			break
		}
	}
	if err := s.insist(ctx); err != nil {
		return err
	}
	return s.judge(time.Since(begun))
}

// insist asks for the version again that was not refused, but only got no
// answer: on a bad line that says little. Where METADATA says what was agreed, that
// decides: the answer may be a late one, to a command that asked for less.
func (s *Session) insist(ctx context.Context) error {
	h := s.heard
	rounds, agreed := bare, &s.version
	if h.metadata.Known >= KnownTickShift { // which firmware without version 2 does not have
		rounds, agreed = stubborn, &h.metadata.Version
	}
	for range rounds {
		if h.asked == 0 || *agreed == s.o.Version || h.reason[CommandGetMetadata] != 0 {
			return nil
		}
		asked := more(&h.asked)
		s.send(CommandGetMetadata, byte(s.o.Version), s.tickShift())
		ok, err := s.pump(ctx, s.interval(0), asked)
		if err != nil {
			return err
		}
		if ok {
			s.version = s.o.Version
		}
	}
	return nil
}

const (
	// approaches fit into Patience.
	approaches = 12
	// bare is the round from which on versions are left out in turn.
	bare = 3
	// stubborn is how often firmware is asked for a version that it is known to have.
	stubborn = 20
)

// tickShift is the unit of times that is asked for.
func (s *Session) tickShift() byte {
	if s.o.Cycles {
		return 0
	}
	return TickShiftAuto
}

// approach asks once for METADATA, with the version that is wanted or, where that
// was refused or gets no answer, without one.
func (s *Session) approach(ctx context.Context, round int) (bool, error) {
	asked := more(&s.heard.asked)
	reason := &s.heard.reason[CommandGetMetadata]
	refused := func() bool { return *reason != 0 && *reason != ReasonNotNow }
	wanted := s.o.Version > 1 && !refused() && (round < bare || round%2 == 0)
	s.send(CommandStop)
	if *reason == ReasonNotNow { // records wait whose unit of time would change
		s.send(CommandReset)
	}
	if wanted {
		s.version = s.o.Version
		s.bodies++
		s.send(CommandGetMetadata, byte(s.o.Version), s.tickShift())
	} else {
		s.version = 1
		s.send(CommandGetMetadata)
		if s.heard.packets == 0 && s.o.Decoder.Variant == nil {
			s.sendAllVariants()
		}
	}
	s.heard.begin()
	nacks := more(&s.heard.answered[CommandGetMetadata])
	_, err := s.pump(ctx, s.interval(0), func() bool {
		// Before it started it did not hear.
		return asked() || nacks() && refused() || s.heard.started
	})
	// A NACK may be the late one of a command with a body.
	s.noMetadata = !wanted && nacks() && refused() && s.heard.answered[CommandGetMetadata]+s.heard.asked > s.bodies
	return asked(), err
}

// sendAllVariants asks in all framings, twice: firmware ignores what is framed
// otherwise, and the decoder believes a framing that was right twice.
func (s *Session) sendAllVariants() {
	var b []byte
	for _, h0 := range [2]byte{0x55, 0xAA} {
		for v := range variantsOf(h0) {
			if v != s.wire {
				b = v.AppendPacket(b, CommandGetMetadata)
				b = v.AppendPacket(b, CommandGetMetadata)
			}
		}
	}
	s.sendBytes(b)
}

// judge makes of what was heard an agreement, or an error that says what it looks
// like.
func (s *Session) judge(waited time.Duration) error {
	h := s.heard
	s.listens, s.agreed = h.asked > 0 || h.answers > 0, h.asked > 0
	switch {
	case h.asked == 0 && echo(s.sent, s.early.bytes):
		return &EchoError{s.o.Port}
	case h.metadatas == 0 && h.records == 0 && h.reason[CommandStop] != 0 && h.reason[CommandGetMetadata] != 0:
		return &RefusedError{s.o.Port, 0, h.reason[CommandStop]}
	case s.listens:
	case h.records > 0:
		s.remark("the firmware sends records and does not answer commands: it is recorded as it comes, and what it dropped is not known")
	case h.packets > 0:
		return &DeafError{s.o.Port, h.packets, s.line.writeError()}
	case s.early.total == 0:
		return &SilentError{s.o.Port, waited}
	default:
		return diagnose(s.o.Port, s.early.bytes, s.early.total)
	}
	if h.metadatas == 0 {
		s.version = 1
		if s.listens {
			s.remark("the firmware says nothing of itself (METADATA), so that nothing shows whether it is that of the ELF file")
		}
		return nil
	}
	if h.metadata.Known >= KnownVersion && h.metadata.Version >= 1 {
		s.version = min(h.metadata.Version, s.o.Version)
	}
	return s.identify()
}

// agreeLate takes METADATA into account that came when it was no longer waited for.
func (s *Session) agreeLate() {
	if m := &s.heard.metadata; !s.agreed && m.Known >= KnownTickShift {
		s.version = s.o.Version
	}
	s.agreed = true
}

// hearLate takes answers of Open into account that come during a run: what was found out without them
// may be wrong. It tells whether the firmware is to be started for that.
func (s *Session) hearLate() (bool, error) {
	h := s.heard
	if s.known == nil && h.metadatas > 0 {
		s.agreeLate()
		if err := s.identify(); err != nil {
			return false, err
		}
	}
	if s.listens || h.asked == 0 && h.answers == 0 {
		return false, nil
	}
	s.listens = true
	s.remark("the firmware answers commands after all, but late: it was started %.1f s after the start of the run", time.Since(s.origin).Seconds())
	return true, nil
}

// identify compares the build id of the firmware with that of the ELF file; the
// same one once.
func (s *Session) identify() error {
	id := string(s.heard.metadata.BuildID)
	if s.known != nil && *s.known == id {
		return nil
	}
	s.known = &id
	err := sameBuild(s.heard.metadata, s.o.BuildID, s.remark)
	if err != nil && s.o.Force {
		s.remark("%v; traced all the same (--force), so functions may carry the wrong names", err)
		return nil
	}
	return err
}

// sameBuild is a *BuildIDError if the firmware was built from something else.
func sameBuild(m Metadata, elf []byte, remark func(string, ...any)) error {
	switch {
	case elf == nil: // there is none
	case len(m.BuildID) == 0:
		remark("the firmware sends no build id, so that nothing shows whether it is that of the ELF file")
	case len(elf) == 0:
		remark("the ELF file has no build id (link with -Wl,--build-id), so that nothing shows whether it is that of the firmware, whose build id is %x", m.BuildID)
	case !bytes.Equal(m.BuildID, elf):
		return &BuildIDError{Target: m.BuildID, ELF: elf}
	}
	return nil
}
