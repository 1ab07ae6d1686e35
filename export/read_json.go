package export

import (
	"bytes"
	"encoding/json"
)

// jsonReader chooses the reader of a JSON object by the first of its members that only one format
// has: what nobody knows is left to that of the Firefox Profiler, which says what is wrong.
func jsonReader(data []byte) reader {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return readFirefox
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			break
		}
		switch key {
		case "traceEvents":
			return readChrome
		case "$schema", "profiles":
			return readSpeedscope
		case "meta", "threads", "libs":
			return readFirefox
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			break
		}
	}
	return readFirefox
}
