package export

import (
	"bufio"
	"encoding/json"
	"os"
)

// ProcessedFirefox is the JSON of a file in the processed format of the Firefox Profiler, decompressed; ok is false where the
// file is in another one, or cannot be read.
func ProcessedFirefox(path string) (data []byte, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err = readAll(bufio.NewReaderSize(f, 1<<16))
	var head struct {
		Meta struct {
			Processed *float64 `json:"preprocessedProfileVersion"`
		}
	}
	if err != nil || json.Unmarshal(data, &head) != nil || head.Meta.Processed == nil {
		return nil, false
	}
	return data, true
}
