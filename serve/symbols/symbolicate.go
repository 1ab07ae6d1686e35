package symbols

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mprof/mprof/symbol"
)

// symbolicateJob is a list of modules, and stacks of addresses in them.
type symbolicateJob struct {
	MemoryMap []moduleID       `json:"memoryMap"`
	Stacks    [][]stackAddress `json:"stacks"`
}

// symbolicateRequest is several jobs, or one alone.
type symbolicateRequest struct {
	Jobs []symbolicateJob `json:"jobs"`
	symbolicateJob
}

// moduleID is [debug name, debug id].
type moduleID struct{ name, id string }

func (m *moduleID) UnmarshalJSON(text []byte) error {
	var pair []string
	if err := json.Unmarshal(text, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf("%.80s is no pair of debug name and debug id", text)
	}
	m.name, m.id = pair[0], pair[1]
	return nil
}

// stackAddress is [index of the module, offset in it]. The index -1 is of no module.
type stackAddress struct {
	module int
	offset uint64
}

func (a *stackAddress) UnmarshalJSON(text []byte) error {
	var pair []int64
	if err := json.Unmarshal(text, &pair); err != nil || len(pair) != 2 || pair[0] < -1 || pair[1] < 0 {
		return fmt.Errorf("%.80s is no pair of module index and offset", text)
	}
	a.module, a.offset = int(pair[0]), uint64(pair[1])
	return nil
}

type symbolicateResponse struct {
	Results []jobResult `json:"results"`
}

type jobResult struct {
	Stacks       [][]stackFrame           `json:"stacks"`
	FoundModules map[string]*bool         `json:"found_modules"` // null: nothing was asked of it
	ModuleErrors map[string][]moduleError `json:"module_errors,omitempty"`
}

type moduleError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

// stackFrame is an address. Function is of the code there, File and Line what executes in it; what is inlined
// there is in Inlines, the innermost first.
type stackFrame struct {
	Frame          int           `json:"frame"`
	Module         string        `json:"module"`
	ModuleOffset   hex           `json:"module_offset"`
	Function       string        `json:"function,omitempty"`
	FunctionOffset *hex          `json:"function_offset,omitempty"`
	FunctionSize   *hex          `json:"function_size,omitempty"`
	File           string        `json:"file,omitempty"`
	Line           int           `json:"line,omitempty"`
	Inlines        []inlineFrame `json:"inlines,omitempty"`
}

type inlineFrame struct {
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// symbolicate answers /symbolicate/v5 (tecken.readthedocs.io, Symbolication API, version 5).
func (s *server) symbolicate(body []byte) (any, error) {
	var request symbolicateRequest
	if err := decode(body, &request); err != nil {
		return nil, err
	}
	jobs := request.Jobs
	if jobs == nil {
		if request.MemoryMap == nil {
			return nil, malformed{errors.New("the request has neither jobs nor a memoryMap")}
		}
		jobs = []symbolicateJob{request.symbolicateJob}
	}
	out := symbolicateResponse{Results: []jobResult{}}
	for _, job := range jobs {
		result, err := s.job(job)
		if err != nil {
			return nil, err
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

func (s *server) job(job symbolicateJob) (jobResult, error) {
	out := jobResult{Stacks: [][]stackFrame{}, FoundModules: map[string]*bool{}}
	asked := make([]bool, len(job.MemoryMap))
	for _, stack := range job.Stacks {
		for _, a := range stack {
			if a.module >= len(asked) {
				return out, malformed{fmt.Errorf("module %d of a stack is not in the memoryMap, which has %d", a.module, len(asked))}
			}
			if a.module >= 0 {
				asked[a.module] = true
			}
		}
	}
	modules := make([]*module, len(job.MemoryMap))
	for i, id := range job.MemoryMap {
		key := id.name + "/" + id.id
		if !asked[i] {
			if _, known := out.FoundModules[key]; !known {
				out.FoundModules[key] = nil
			}
			continue
		}
		m, err := s.module(id.name, id.id, "")
		found := err == nil
		if modules[i], out.FoundModules[key] = m, &found; !found {
			if out.ModuleErrors == nil {
				out.ModuleErrors = map[string][]moduleError{}
			}
			out.ModuleErrors[key] = []moduleError{{"NoSymbols", err.Error()}}
		}
	}
	for _, stack := range job.Stacks {
		frames := make([]stackFrame, len(stack))
		for i, a := range stack {
			frames[i] = stackFrame{Frame: i, ModuleOffset: hex(a.offset)}
			if a.module >= 0 {
				frames[i].Module = job.MemoryMap[a.module].name
				frames[i].name(modules[a.module], a.offset)
			}
		}
		out.Stacks = append(out.Stacks, frames)
	}
	return out, nil
}

// name fills in what is at an offset; nothing where that is not known.
func (f *stackFrame) name(m *module, offset uint64) {
	if m == nil {
		return
	}
	addr, ok := m.address(offset)
	if !ok {
		return
	}
	at := m.image.Lookup(addr)
	if len(at) == 0 {
		return
	}
	outer := at[len(at)-1]
	f.Function, f.FunctionOffset = outer.Name, new(hex)
	if addr > outer.Low {
		*f.FunctionOffset = hex(addr - outer.Low)
	}
	if outer.High > outer.Low {
		size := hex(outer.High - outer.Low)
		f.FunctionSize = &size
	}
	f.File, f.Line = line(outer)
	for _, l := range at[:len(at)-1] {
		inlined := inlineFrame{Function: l.Name}
		inlined.File, inlined.Line = line(l)
		f.Inlines = append(f.Inlines, inlined)
	}
}

// line is what executes of a function: its file where no line is known.
func line(l symbol.Location) (string, int) {
	if l.CallFile == "" {
		return l.File, 0
	}
	return l.CallFile, max(l.CallLine, 0)
}
