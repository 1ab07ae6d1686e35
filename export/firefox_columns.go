package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// integers is a column of whole numbers of a table; null is none.
type integers []int64

// none is null in a column of whole numbers.
const none = math.MinInt64

// UnmarshalJSON takes an array of numbers and nulls. Tables have millions of rows, for
// which reflection is slow.
func (c *integers) UnmarshalJSON(text []byte) error {
	*c = make(integers, 0, elements(text))
	return eachElement(text, "whole number", func(element []byte) bool {
		if bytes.Equal(element, jsonNull) {
			*c = append(*c, none)
			return true
		}
		v, err := strconv.ParseInt(string(element), 10, 64)
		if err != nil {
			f, ferr := strconv.ParseFloat(string(element), 64)
			if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
				return false
			}
			v = int64(f)
		}
		*c = append(*c, v)
		return true
	})
}

// numbers is a column of numbers; null is NaN.
type numbers []float64

// UnmarshalJSON takes an array of numbers and nulls.
func (c *numbers) UnmarshalJSON(text []byte) error {
	*c = make(numbers, 0, elements(text))
	return eachElement(text, "number", func(element []byte) bool {
		if bytes.Equal(element, jsonNull) {
			*c = append(*c, math.NaN())
			return true
		}
		v, err := strconv.ParseFloat(string(element), 64)
		*c = append(*c, v)
		return err == nil
	})
}

// elements is how many a column has at most.
func elements(text []byte) int { return bytes.Count(text, []byte{','}) + 1 }

var jsonNull = []byte("null")

// eachElement calls f with each element of a valid JSON array of scalars; null stands
// for an empty one.
func eachElement(text []byte, what string, f func(element []byte) bool) error {
	if bytes.Equal(text, jsonNull) {
		return nil
	}
	if len(text) < 2 || text[0] != '[' {
		return fmt.Errorf("%s where a column of %ss should be", clip(string(text[:min(len(text), 61)])), what)
	}
	rest := text[1 : len(text)-1]
	for row := 0; len(bytes.TrimSpace(rest[:min(len(rest), 64)])) > 0 || len(rest) > 64; row++ {
		element := rest
		if i := bytes.IndexByte(rest, ','); i >= 0 {
			element, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if element = bytes.TrimSpace(element); !f(element) {
			return fmt.Errorf("%s in row %d, where a %s should be", clip(string(element[:min(len(element), 61)])), row, what)
		}
	}
	return nil
}

// texts is a column of strings; null is "".
type texts []string

// UnmarshalJSON takes an array of strings and nulls.
func (c *texts) UnmarshalJSON(text []byte) error {
	var all []string // null leaves an element as it is, which is ""
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*c = all
	return nil
}

// at is row i of a column, none where the column is shorter.
func (c integers) at(i int) int64 {
	if i < 0 || i >= len(c) {
		return none
	}
	return c[i]
}
