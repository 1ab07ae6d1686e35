package export

import (
	"encoding/json"
)

// firefoxFile is what is read of a processed profile. Up to version 55 or so each
// thread has tables of its own; from then on they are shared.
type firefoxFile struct {
	Meta struct {
		Version    int
		Processed  int     `json:"preprocessedProfileVersion"`
		StartTime  float64 `json:"startTime"`
		Interval   float64
		Product    string
		Imported   string `json:"importedFrom"`
		Device     string
		CPUName    string
		Categories []struct {
			Name          string
			Subcategories []string
		}
	}
	Libs    []firefoxLib
	Threads []firefoxReadThread
	Shared  firefoxTables
	Record  json.RawMessage `json:"mprof"`
}

type firefoxTables struct {
	StringArray   texts `json:"stringArray"`
	StackTable    struct{ Frame, Prefix integers }
	FrameTable    struct{ Address, InlineDepth, Category, Subcategory, Func, NativeSymbol, Line, Column integers }
	FuncTable     struct{ Name, Source, FileName, LineNumber integers }
	NativeSymbols struct{ LibIndex, Address, Name, FunctionSize integers }
	Sources       struct {
		Filename integers
		Content  texts
	}
}

type firefoxReadThread struct {
	firefoxTables
	Name        string
	ProcessName string
	Samples     *struct {
		Stack      integers
		Time       numbers
		TimeDeltas numbers `json:"timeDeltas"`
		Weight     numbers
		WeightType string `json:"weightType"`
	}
	Markers struct {
		Data      []firefoxReadMarker
		Name      integers
		StartTime numbers
		EndTime   numbers
	}
}

// firefoxReadMarker is what mprof writes of a call.
type firefoxReadMarker struct {
	Type    string
	Net     float64
	AtLeast string
	Cause   *firefoxCause
}

// UnmarshalJSON passes over the markers of others, whose members can be of any type.
func (m *firefoxReadMarker) UnmarshalJSON(text []byte) error {
	type bare firefoxReadMarker
	if json.Unmarshal(text, (*bare)(m)) != nil || m.Type != callSchema.Name {
		*m = firefoxReadMarker{}
	}
	return nil
}
