package fit

import (
	"encoding/json"
	"io"
)

type unitJSON struct {
	Name     string   `json:"name"`
	Linkage  string   `json:"linkage_name"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Bytes    int64    `json:"bytes"`
	Samples  int64    `json:"samples"`
	Share    float64  `json:"share"`
	Sections []string `json:"input_sections,omitempty"`
	State    string   `json:"state,omitempty"`
	Along    []string `json:"calls_along,omitempty"`
	Left     []string `json:"calls_in_flash,omitempty"`
}

type gainJSON struct {
	Least     float64  `json:"least"`
	Predicted *float64 `json:"predicted,omitempty"`
	Most      float64  `json:"most"`
}

// WriteJSON writes the report for programs. Samples are nanoseconds where the
// profile is of traced calls (unit). Shares are of the time awake.
func (r *Report) WriteJSON(w io.Writer) error {
	out := struct {
		Section string     `json:"section"`
		Budget  int64      `json:"budget"`
		Bytes   int64      `json:"bytes"`
		Veneers int        `json:"veneers_in_ram"`
		Enter   int        `json:"veneers_in_flash"`
		Unit    string     `json:"unit"`
		Awake   int64      `json:"awake"`
		Asleep  int64      `json:"asleep"`
		Covered shareJSON  `json:"covered"`
		InRAM   shareJSON  `json:"in_ram_already"`
		Exact   bool       `json:"exact"`
		AtMost  int64      `json:"at_most"`
		Gain    gainJSON   `json:"gain"`
		Move    []unitJSON `json:"move"`
		Stay    []unitJSON `json:"stay"`
		Remarks []string   `json:"remarks,omitempty"`
	}{r.Section, r.Budget, r.Size, r.Veneers, r.Enter, "samples", r.Total, r.Asleep, jsonShare(r.Covered), jsonShare(r.InRAM),
		r.Exact, r.AtMost, gainJSON{r.Gain.Least, nil, r.Gain.Most}, []unitJSON{}, []unitJSON{}, r.Remarks}
	if r.Traced {
		out.Unit = "nanoseconds"
	}
	if r.Gain.Known {
		out.Gain.Predicted = &r.Gain.Predicted
	}
	moved := map[int]bool{}
	for _, i := range r.Moved {
		moved[i] = true
		out.Move = append(out.Move, r.jsonUnit(i, ""))
	}
	for i := range r.Units {
		if !moved[i] && r.Units[i].Samples > 0 {
			out.Stay = append(out.Stay, r.jsonUnit(i, r.Units[i].State.String()))
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (r *Report) jsonUnit(i int, state string) unitJSON {
	u := &r.Units[i]
	return unitJSON{u.Name, u.Linkage, u.File, u.Line, u.Size, u.Samples, r.part(u.Samples), u.Patterns, state, u.Along, u.Left}
}
