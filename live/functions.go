package live

import "github.com/mprof/mprof/profile"

// functions are those of a run, in the order in which they were seen. Their names are unique, as
// they are in a profile; so a name may change when another function of that name turns up.
type functions struct {
	rows  []profile.Function
	place []uint32 // address of the code
	name  []string // unique
	rev   []uint64
	taken map[string]bool // names of rows and unique ones
}

// add appends a function. renamed tells that others have got new names.
func (f *functions) add(row profile.Function, place uint32, rev uint64) (renamed bool) {
	if f.taken == nil {
		f.taken = map[string]bool{}
	}
	f.rows, f.place, f.rev = append(f.rows, row), append(f.place, place), append(f.rev, rev)
	f.name = append(f.name, row.Name)
	if f.taken[row.Name] {
		before := f.name
		f.name = profile.Unique(f.rows, f.place)
		for i, name := range f.name {
			f.taken[name] = true
			renamed = renamed || i < len(before)-1 && before[i] != name
		}
	}
	f.taken[row.Name] = true
	return renamed
}

func (f *functions) since(rev uint64) FunctionColumns {
	from := newer(f.rev, rev)
	n := len(f.rows) - from
	c := FunctionColumns{From: from, Name: make([]string, n), File: make([]string, n), Line: make([]int, n), Label: make([]bool, n)}
	for i, row := range f.rows[from:] {
		c.Name[i], c.File[i], c.Line[i], c.Label[i] = f.name[from+i], row.File, row.Line, row.Label
	}
	return c
}

// newer is where in a list of revisions, which never fall, those after rev begin.
func newer(revs []uint64, rev uint64) int {
	low, high := 0, len(revs)
	for low < high {
		if middle := (low + high) / 2; revs[middle] > rev {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
