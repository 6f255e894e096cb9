package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
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
	t := &Table{Format: "JSON"}
	decoder := json.NewDecoder(bytes.NewReader(data))
	line, counted := 1, 0
	lineAt := func(offset int) int {
		line += bytes.Count(data[counted:offset], []byte("\n"))
		counted = offset
		return line
	}
	fail := func(err error) (*Table, error) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("the JSON array does not end; was the file cut off?")
		}
		return nil, fmt.Errorf("malformed JSON after line %d: %w", lineAt(int(decoder.InputOffset())), err)
	}
	if _, err := decoder.Token(); err != nil { // the bracket
		return fail(err)
	}
	for number := 1; decoder.More(); number++ {
		var element json.RawMessage
		if err := decoder.Decode(&element); err != nil {
			return fail(err)
		}
		t.addJSON(element, number, lineAt(int(decoder.InputOffset())-len(element)))
	}
	if _, err := decoder.Token(); err != nil {
		return fail(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: more follows the JSON array", lineAt(int(decoder.InputOffset())))
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
