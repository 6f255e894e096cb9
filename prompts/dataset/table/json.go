package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

func readLines(data []byte) (*Table, error) {
	first, rest, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	var object map[string]any
	if !json.Valid(first) && json.NewDecoder(bytes.NewReader(data)).Decode(&object) == nil {
		return nil, errors.New("a JSON object over several lines; write one object a line, as jq -c does, or an array")
	}
	if len(rest) == 0 && json.Unmarshal(first, &object) == nil && nested(object) {
		return nil, errors.New("one JSON object of columns or of rows; write one object a question: in pandas with " +
			`orient="records"`)
	}
	t := &Table{Format: "JSON Lines"}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			t.addJSON(line, number, number)
		}
	}
	return t, nil
}

// nested says whether an object has objects and lists alone, as no question has.
func nested(object map[string]any) bool {
	for _, value := range object {
		_, isObject := value.(map[string]any)
		if _, isList := value.([]any); !isObject && !isList {
			return false
		}
	}
	return len(object) > 0
}

func readArray(data []byte) (*Table, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal(data, &elements); err != nil {
		line := 1
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			line += bytes.Count(data[:at.Offset], []byte("\n"))
		}
		switch {
		case strings.HasPrefix(err.Error(), "unexpected end"):
			return nil, errors.New("the JSON array does not end; was the file cut off?")
		case strings.HasSuffix(err.Error(), "after top-level value"):
			return nil, fmt.Errorf("line %d: more follows the JSON array", line)
		}
		return nil, fmt.Errorf("malformed JSON in line %d: %w", line, err)
	}
	t := &Table{Format: "JSON"}
	line, rest := 1, data[bytes.IndexByte(data, '[')+1:]
	for i, element := range elements { // only commas and white space stand between them
		between, after, _ := bytes.Cut(rest, element)
		line += bytes.Count(between, []byte("\n"))
		t.addJSON(element, i+1, line)
		line, rest = line+bytes.Count(element, []byte("\n")), after
	}
	return t, nil
}

// addJSON appends a row that is an object, or says why it is none.
func (t *Table) addJSON(text []byte, number, line int) {
	var object map[string]any
	bad := ""
	for _, escape := range escapes.FindAllSubmatchIndex(text, -1) {
		if escape[2] >= 0 && bad == "" { // encoding/json would put U+FFFD in its place
			bad = fmt.Sprintf("%s at byte %d is half of a character (a lone surrogate); write the whole character",
				text[escape[2]:escape[3]], escape[2]+1)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if text[0] != '{' {
		bad = fmt.Sprintf("%.20q is no JSON object", text)
	} else if err := decoder.Decode(&object); err != nil {
		bad = "malformed JSON: " + err.Error()
	} else if len(bytes.TrimSpace(text[decoder.InputOffset():])) > 0 {
		bad = "malformed JSON: more follows the object"
	}
	t.add(number, line, object, bad)
}

// escapes matches what begins with a backslash; its group is half of a pair such as \ud83d\ude00.
var escapes = regexp.MustCompile(`\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(\\u[dD][89a-fA-F]\w\w)|\\.`)
