package trace

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// vectors is what the page's examples are of: written by the Encoder, they must be
// the page's bytes; decoded, they must be what was written.
var vectors = map[string]func(*Encoder){
	"START_PROFILING":              command(CommandStart),
	"STOP_PROFILING":               command(CommandStop),
	"GET_STATUS":                   command(CommandStatus),
	"RESET_BUFFERS":                command(CommandReset),
	"GET_METADATA, version 1":      command(CommandGetMetadata),
	"GET_METADATA, version 2":      command(CommandGetMetadata, 2, TickShiftAuto),
	"GET_GPROF, counters, piece 3": command(CommandGetGprof, 0x03, 0x40),
	"RESET_GPROF":                  command(CommandResetGprof, 1),
	"GPROF":                        func(e *Encoder) { e.write(TypeGprof, vectorGprof) },
	"ACK of START_PROFILING":       func(e *Encoder) { e.Answer(CommandStart, 0) },
	"NACK of an unknown command":   func(e *Encoder) { e.Answer(0x42, ReasonUnknownCommand) },
	"METADATA":                     func(e *Encoder) { e.Metadata(vectorMetadata) },
	"METADATA of other firmware": func(e *Encoder) {
		e.Metadata(Metadata{Version: 1, TimerHz: 72e6, Known: KnownTimerHz})
	},
	"STATUS": func(e *Encoder) { e.Status(vectorStatus) },
	"PROFILE_DATA": func(e *Encoder) {
		e.o.Version = 1
		for _, r := range vectorRecords[:3] {
			e.Record(r)
		}
	},
	"PROFILE_DATA_2": func(e *Encoder) {
		e.number = 70000
		for _, r := range vectorRecords[:5] {
			e.Record(r)
		}
		e.Dropped(3)
		for _, r := range vectorRecords[5:] {
			e.Record(r)
		}
	},
}

// vectorGprof is the last piece of the arcs.
var vectorGprof = []byte{0x02, 0x80, 0x38, 0, 0x11, 0x22, 0, 8, 0x01, 0x40, 0, 8, 0x0C, 0, 0, 0, 0, 0, 0, 0}

var vectorMetadata = Metadata{
	Version: 2, Flags: FlagStarted, TimerHz: 168e6, BufferBytes: 4096,
	BuildID: []byte{0xDE, 0xAD, 0xBE, 0xEF}, Name: "pump", TickShift: 6,
	PairCost: 61 << 8, InnerCost: 23<<8 | 0x80,
	Contexts: []ContextName{{0, "idle"}, {1, "control"}}, Known: KnownContexts,
}

var vectorStatus = Status{
	Running: true, Dropped: 12, HighWater: 3800, Sent: 70000, Waiting: 5, TooDeep: 2, Unmatched: 1,
	Known: KnownUnmatched,
}

var vectorRecords = []Record{
	{Func: 0x08000234, Entry: 1000, Duration: 50, Depth: 1},
	{Func: 0x08000234, Entry: 1060, Duration: 45, Depth: 1},
	{Func: 0x08000200, Entry: 990, Duration: 130},
	{Func: 0x08000300, Entry: 1200, Duration: 20, Context: FirstException + 15},
	{Entry: 1300, Context: 1},
	{Func: 0x08000200, Entry: 1400, Duration: 300, Context: 1},
	{Func: 0x08000400, Entry: 2001, Duration: Saturated, Context: 1},
}

func command(c byte, body ...byte) func(*Encoder) {
	return func(e *Encoder) { e.write(c, body) }
}

func (v *vectorPage) encode(title string) []byte {
	var b bytes.Buffer
	e := NewEncoder(&b, EncoderOptions{Version: 2})
	vectors[title](e)
	e.Flush()
	return b.Bytes()
}

// vectorPage is the vectors of docs/trace-protocol.md by their titles.
type vectorPage struct{ packets map[string][]byte }

// readVectorPage reads the fenced block under "## Vectors": a line that begins with
// "# " is a title, all others are bytes, bars between fields, and a comment behind
// a semicolon.
func readVectorPage(t *testing.T) *vectorPage {
	page, err := os.ReadFile("../docs/trace-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## Vectors\n")
	if !ok {
		t.Fatal("no section Vectors")
	}
	v := &vectorPage{map[string][]byte{}}
	_, block, _ := strings.Cut(section, "```\n")
	block, _, _ = strings.Cut(block, "```")
	title := ""
	for line := range strings.Lines(block) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			title = strings.TrimSpace(name)
			continue
		}
		digits, _, _ := strings.Cut(line, ";")
		b, err := hex.DecodeString(strings.Join(strings.Fields(strings.ReplaceAll(digits, "|", "")), ""))
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		v.packets[title] = append(v.packets[title], b...)
	}
	return v
}

func TestVectorsAreWhatIsEncoded(t *testing.T) {
	page := readVectorPage(t)
	for _, title := range slices.Sorted(maps.Keys(vectors)) {
		if want := page.encode(title); !bytes.Equal(page.packets[title], want) {
			t.Errorf("%s: the page has % X, the code\n% X", title, page.packets[title], want)
		}
		delete(page.packets, title)
	}
	for title := range page.packets {
		t.Errorf("%s: nobody encodes this", title)
	}
}

func TestVectorsAreWhatIsDecoded(t *testing.T) {
	page := readVectorPage(t)
	for title, b := range page.packets {
		var commands []string
		c := NewCommandDecoder(Variant{}, func(c byte, body []byte) { commands = append(commands, fmt.Sprintf("%d %x", c, body)) })
		c.Write(b)
		h := decodeOne(Variant{}, b)
		var got, want any
		switch title {
		case "GET_METADATA, version 2":
			got, want = commands, []string{"5 02ff"}
		case "START_PROFILING", "STOP_PROFILING", "GET_STATUS", "RESET_BUFFERS", "GET_METADATA, version 1":
			got, want = commands, []string{fmt.Sprintf("%d ", b[4])}
		case "GET_GPROF, counters, piece 3":
			got, want = commands, []string{"6 0340"}
		case "RESET_GPROF":
			got, want = commands, []string{"7 01"}
		case "GPROF":
			piece, _ := ParseGprof(b[5 : len(b)-3])
			got, want = piece, GprofPiece{Part: GprofArcs, Piece: 2, Size: 56, Bytes: vectorGprof[4:]}
		case "ACK of START_PROFILING":
			got, want = h.answers, [][2]byte{{CommandStart, 0}}
		case "NACK of an unknown command":
			got, want = h.answers, [][2]byte{{0x42, ReasonUnknownCommand}}
		case "METADATA":
			got, want = h.metadata, []Metadata{vectorMetadata}
		case "METADATA of other firmware":
			got, want = h.metadata, []Metadata{{Version: 1, TimerHz: 72e6, Known: KnownTimerHz}}
		case "STATUS":
			got, want = h.status, []Status{vectorStatus}
		case "PROFILE_DATA":
			records := slices.Clone(vectorRecords[:3])
			for i := range records {
				records[i].Context = NoContext
			}
			got, want = h.batches, []Batch{{Version: 1, Records: records}}
		case "PROFILE_DATA_2":
			got, want = h.batches, []Batch{
				{Version: 2, Number: 70000, Numbered: true, Records: vectorRecords[:5]},
				{Version: 2, Number: 70008, Numbered: true, Records: vectorRecords[5:]},
			}
			if l := h.lost(Dropped); l.Records != 3 {
				t.Errorf("%s: dropped %v", title, h.losses)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: decoded %+v, want %+v", title, got, want)
		}
	}
}
