package trace

import (
	"reflect"
	"slices"
	"testing"
)

// A body may end anywhere: what is missing is unknown, never half a value; what
// stands behind the last field is skipped.
func TestBodiesOfAnyLength(t *testing.T) {
	whole := AppendMetadata(nil, vectorMetadata)
	var known MetadataFields
	for n := range len(whole) + 1 {
		m := ParseMetadata(whole[:n])
		if m.Known < known || m.Known > known+1 {
			t.Fatalf("%d bytes: %d fields after %d", n, m.Known, known)
		}
		known = m.Known
		if back := ParseMetadata(AppendMetadata(nil, m)); !reflect.DeepEqual(back, m) {
			t.Errorf("%d bytes: %+v, want %+v", n, back, m)
		}
	}
	if m := ParseMetadata(append(slices.Clone(whole), 1, 2, 3)); !reflect.DeepEqual(m, vectorMetadata) {
		t.Errorf("longer: %+v", m)
	}
	whole = AppendStatus(nil, vectorStatus)
	for n := range len(whole) + 1 {
		s := ParseStatus(whole[:n])
		if want := StatusFields((n + 3) / 4); s.Known != want {
			t.Errorf("%d bytes of status: %d fields, want %d", n, s.Known, want)
		}
		if back := ParseStatus(AppendStatus(nil, s)); back != s {
			t.Errorf("%d bytes: %+v, want %+v", n, back, s)
		}
	}
	if s := ParseStatus(append(whole, 9)); s != vectorStatus {
		t.Errorf("longer: %+v", s)
	}
}

func TestNameThatIsNoText(t *testing.T) {
	m := ParseMetadata(AppendMetadata(nil, Metadata{Name: "p\xFFmp", Known: KnownName}))
	if m.Name != "p\uFFFDmp" {
		t.Errorf("%q", m.Name)
	}
}

// Answers of other firmware say less.
func TestShortAnswers(t *testing.T) {
	var h heard
	d := NewDecoder(&h, DecoderOptions{})
	d.Write(AppendCommand(nil, TypeACK))
	d.Write(AppendCommand(nil, TypeACK, CommandStop))
	d.Write(AppendCommand(nil, TypeNACK))
	d.Write(AppendCommand(nil, TypeNACK, CommandStop))
	d.Write(AppendCommand(nil, TypeNACK, CommandStop, ReasonNotNow, 7))
	want := [][2]byte{{0, 0}, {CommandStop, 0}, {0, ReasonUnsaid}, {CommandStop, ReasonUnsaid}, {CommandStop, ReasonNotNow}}
	if !slices.Equal(h.answers, want) {
		t.Errorf("%v, want %v", h.answers, want)
	}
}
