package export

import (
	"fmt"
	"strings"

	"github.com/mprof/mprof/profile"
)

// awaySentences say of which time nothing is known, and why.
func awaySentences(p *profile.Profile) (all []string) {
	for _, a := range p.Taken.Away {
		if a.Time == 0 && p.Trace != nil {
			continue // what got lost there is counted elsewhere
		}
		pieces := fmt.Sprintf("in %d pieces", a.Pieces)
		if a.Pieces == 1 {
			pieces = "in one piece"
		}
		all = append(all, fmt.Sprintf("%s %s %s", awayName(a.Name), seconds(a.Time), pieces))
	}
	if n := p.Taken.LostResets; n == 1 {
		all = append(all, "1 sample lost to resets")
	} else if n > 1 {
		all = append(all, fmt.Sprintf("%d samples lost to resets", n))
	}
	return all
}

// awayName is the name of an event inside a sentence.
func awayName(event string) string {
	switch event {
	case "Gap":
		return "host suspended"
	case "Secure state":
		return "core in Secure state"
	case "Halted by others":
		return "core halted by others"
	}
	return strings.ToLower(event)
}

// jsonAway is time of which nothing is known.
type jsonAway struct {
	Name   string  `json:"name"`
	Pieces int     `json:"pieces"`
	TimeS  float64 `json:"time_s"`
}

func jsonAways(p *profile.Profile) []jsonAway {
	all := []jsonAway{}
	for _, a := range p.Taken.Away {
		all = append(all, jsonAway{a.Name, a.Pieces, a.Time.Seconds()})
	}
	return all
}
