// Package choices reads which questions of a set people chose one by one: by id, as in 70, or by their place in a subject, as in
// math:1-50.
package choices

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Choice is one question by its id, or some of a subject's by their places.
type Choice struct {
	ID       int
	Subject  string // as people type it; empty for an id
	From, To int    // places among the subject's questions in the set's order, from 1
}

// span matches the places behind a subject.
var span = regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`)

// IsSpan says whether a text chooses questions of a subject by their places.
func IsSpan(text string) bool { return span.MatchString(strings.TrimSpace(text)) }

// Parse reads a choice: 70, math:7 or math:1-50.
func Parse(text string) (c Choice, err error) {
	text = strings.TrimSpace(text)
	m := span.FindStringSubmatch(text)
	if m == nil {
		c.ID, err = strconv.Atoi(text)
		if err != nil || c.ID < 0 {
			err = fmt.Errorf("%q is not a question id: ids are whole numbers, as in 70,71", text)
		}
		return c, err
	}
	c.Subject = strings.TrimSpace(m[1])
	var wrong error
	c.From, err = strconv.Atoi(m[2])
	if c.To = c.From; m[3] != "" {
		c.To, wrong = strconv.Atoi(m[3])
	}
	if err != nil || wrong != nil || c.From < 1 || c.To < c.From {
		err = fmt.Errorf("%q: the places of a subject's questions count from 1, as in math:1-50", text)
	}
	return c, err
}

// IDs reads a list of ids with commas, spaces or line feeds between; what follows a # in a line is a comment.
func IDs(text string) (ids []string, err error) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
			c, err := Parse(word)
			if err != nil || c.Subject != "" {
				return nil, fmt.Errorf("%q is not a question id: ids are whole numbers, as in 70,71", word)
			}
			ids = append(ids, strconv.Itoa(c.ID))
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("there is no id in it: give some, as in 70,71")
	}
	return slices.Compact(ids), nil
}
