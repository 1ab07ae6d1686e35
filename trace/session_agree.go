package trace

import (
	"bytes"
	"context"
	"fmt"
)

// agree asks for the version, and tells whether the target, as it is since its last start, has agreed.
func (s *Session) agree(ctx context.Context) (bool, error) {
	h := s.heard
	if h.metadatas == 0 {
		return false, nil
	}
	s.agreeLate()
	asked := more(&h.asked)
	agreed := func() bool {
		m := &h.metadata // firmware that does not have version 2 is asked once: who knows what it makes of it
		return asked() && (!h.started || h.settled) && (m.Known < KnownTickShift || m.Version == s.version)
	}
	ok, err := s.ask(ctx, agreed, CommandGetMetadata, s.versionBody()...)
	if err != nil {
		return false, err
	}
	return ok, s.identify()
}

// versionBody is that of a GET_METADATA which asks for the version that was agreed.
func (s *Session) versionBody() []byte {
	if s.version <= 1 {
		return nil
	}
	return []byte{byte(s.version), s.tickShift()}
}

// tellKnown gives the sink, and the recording, the METADATA that was heard before the run where none has come
// since: records whose times have no unit would be lost.
func (s *Session) tellKnown() error {
	h := s.heard
	if h.told || h.metadatas == 0 {
		return nil
	}
	m := h.metadata
	m.Flags &^= FlagStarted | FlagRunning
	var packet bytes.Buffer
	if err := NewEncoder(&packet, EncoderOptions{Variant: s.wire}).Metadata(m); err != nil {
		return fmt.Errorf("trace: METADATA as it was heard: %w", err)
	}
	s.record(packet.Bytes())
	h.told = true
	h.to.Metadata(m)
	s.remark("the firmware did not answer GET_METADATA when the run began: what it said before holds")
	return nil
}

// askWhatItIs asks for METADATA while records come and nothing says the unit of their times. Firmware that knows no
// version 2 may not take the body.
func (s *Session) askWhatItIs() {
	if !s.listens || s.heard.told || s.noMetadata || s.unnamed == silentTicks {
		return
	}
	if s.unnamed++; s.o.Version > 1 && s.unnamed%2 == 1 {
		s.send(CommandGetMetadata, byte(s.o.Version), s.tickShift())
		return
	}
	s.send(CommandGetMetadata)
}

// older tells whether records come in an older version than was agreed: the target was reset or
// missed the agreement behind which START came. It takes it while it runs. It is told so often and no more.
func (s *Session) older() bool {
	h := s.heard
	if s.version < 2 || h.numbered || h.received == 0 || h.metadata.Known < KnownTickShift || s.olders == attempts {
		return false
	}
	s.olders++
	return true
}
