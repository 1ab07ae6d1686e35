package top

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// press does what a key means, by the names that bubbletea gives them. It tells whether the user
// wants to go.
func (v *screen) press(key, text string, s *seen) (quit bool) {
	if key == "ctrl+c" {
		return true
	}
	if v.typing {
		v.typeFilter(key, text)
		return false
	}
	switch key {
	case "q":
		return true
	case "s", "right":
		v.sortBy(1)
	case "S", "shift+s", "left":
		v.sortBy(-1)
	case "r":
		v.reverse = !v.reverse
	case "/":
		v.typing, v.help = true, false
	case "esc":
		if v.help {
			v.help = false
		} else {
			v.filter = ""
		}
	case "space", " ", "p":
		v.paused = !v.paused
	case "?", "h":
		v.help = !v.help
	case "tab":
		v.goTo(s, 1)
	case "shift+tab":
		v.goTo(s, -1)
	default:
		v.move(key)
	}
	return false
}

// move scrolls; draw keeps it within the rows.
func (v *screen) move(key string) {
	page := max(1, v.height/2)
	switch key {
	case "down", "j":
		v.scroll++
	case "up", "k":
		v.scroll = max(0, v.scroll-1)
	case "pgdown":
		v.scroll += page
	case "pgup":
		v.scroll = max(0, v.scroll-page)
	case "home", "g":
		v.scroll = 0
	}
}

// longestFilter is in runes.
const longestFilter = 100

func (v *screen) typeFilter(key, text string) {
	switch key {
	case "enter":
		v.typing = false
	case "esc":
		v.typing, v.filter = false, ""
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(v.filter)
		v.filter = v.filter[:len(v.filter)-size]
	default:
		for _, r := range text {
			if unicode.IsPrint(r) && utf8.RuneCountInString(v.filter) < longestFilter {
				v.filter += string(r)
			}
		}
	}
	v.scroll = 0
}

// sortBy goes to another column, from the last to the first.
func (v *screen) sortBy(step int) {
	keys := Keys(v.kind)
	at := slices.Index(keys, v.sort)
	v.sort = keys[(at+step+len(keys))%len(keys)]
	v.reverse, v.scroll = false, 0
}

// goTo goes to another context.
func (v *screen) goTo(s *seen, step int) {
	all := s.contexts()
	at := max(0, slices.IndexFunc(all, func(c part) bool { return c.name == v.context }))
	v.context = all[(at+step+len(all))%len(all)].name
	v.scroll = 0
}
