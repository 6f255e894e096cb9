package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"

	"proctor/runner/metrics"
	"proctor/runner/page"
)

// writeCSV writes one figure a line, section, name, figure and value, so that every figure of the JSON report has a
// place in one table whatever the task: "subjects,biology,ci.low,0.31". Undefined figures have no line.
func writeCSV(w io.Writer, r *metrics.Summary) error {
	var encoded bytes.Buffer
	if err := page.JSON(&encoded, r); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Write([]string{"section", "name", "figure", "value"}) // errors come with Flush
	sections, err := membersOf(encoded.Bytes())
	if err != nil {
		return err
	}
	for _, section := range sections {
		if err := writeSection(out, section); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// alike are the sections whose members have figures of the same kind each. They are told apart by their first figure, or
// by their keys.
var alike = map[string]bool{"subjects": true, "by_options": true, "rules": false}

func writeSection(out *csv.Writer, section member) error {
	byFigure, several := alike[section.name]
	if !several {
		return flat(out, section.name, "", "", section.value)
	}
	members, err := membersOf(section.value)
	if err != nil {
		return err
	}
	for _, m := range members {
		if byFigure {
			figures, err := membersOf(m.value)
			if err != nil {
				return err
			}
			m.name = unquoted(figures[0].value)
		}
		if err := flat(out, section.name, m.name, "", m.value); err != nil {
			return err
		}
	}
	return nil
}

// flat writes a value: a plain one as a line, the members of an object or a list each under a longer path.
func flat(out *csv.Writer, section, name, path string, value json.RawMessage) error {
	if value[0] != '{' && value[0] != '[' {
		if path == "" { // a figure of the whole run
			section, path = "run", section
		}
		return out.Write([]string{section, name, path, unquoted(value)})
	}
	members, err := membersOf(value)
	if err != nil {
		return err
	}
	for _, member := range members {
		at := member.name
		if path != "" {
			at = path + "." + member.name
		}
		if err := flat(out, section, name, at, member.value); err != nil {
			return err
		}
	}
	return nil
}

// A member is one of an object or a list.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf lists an object's members in their order, or a list's, named by their place from 1.
func membersOf(value json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	open, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	var members []member
	for decoder.More() {
		m := member{name: fmt.Sprint(len(members) + 1)}
		if open == json.Delim('{') {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			m.name = key.(string)
		}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// unquoted is a plain JSON value without its quotes.
func unquoted(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}
