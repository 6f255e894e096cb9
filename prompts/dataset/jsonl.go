package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// byteOrderMark is what some editors put before the first line.
const byteOrderMark = "\ufeff"

// readJSONL calls each for every line that is not blank. A line that is no row arrives as a bad one.
func readJSONL(data []byte, each func(row)) {
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte(byteOrderMark))) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var r row
		if !utf8.Valid(line) { // encoding/json would put U+FFFD in the place of such bytes
			r.bad = "text is not UTF-8"
		} else if err := json.Unmarshal(line, &r); err != nil {
			r.bad = explain(err)
		}
		r.number = number
		each(r)
	}
}

// explain words encoding/json's errors for people who write question files, not Go.
func explain(err error) string {
	var wrongType *json.UnmarshalTypeError
	if !errors.As(err, &wrongType) || wrongType.Field == "" {
		return "malformed JSON: " + err.Error()
	}
	wanted := "a string"
	switch wrongType.Field {
	case "question_id", "answer_index":
		wanted = "a whole number"
	case "options", "choices":
		wanted = "a list of strings"
	case "answer":
		wanted = "a letter (an index belongs in answer_index)"
	}
	return fmt.Sprintf("%s is a %s, want %s", wrongType.Field, wrongType.Value, wanted)
}
