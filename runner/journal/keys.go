package journal

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"proctor/backends"
)

// A Key is what tells a record from others.
type Key struct {
	ID         string
	QuestionID int
	Subject    string
	Again      bool // see [Record.Again]
}

// Keys is [Reader.Records] for whoever needs no more than the records' keys: several times as fast. A line must be JSON and have
// those; whether the rest can be marked is for whoever marks it.
func (r *Reader) Keys() iter.Seq2[Key, error] { return each(r, r.nextKey) }

func (r *Reader) nextKey() (key Key, item bool, err error) {
	line, ended, err := r.lines.next()
	if err != nil {
		return key, false, err
	}
	if !utf8.Valid(line) || !gjson.ValidBytes(line) {
		return key, false, r.spoilt(decode(line, new(json.RawMessage)), ended)
	}
	r.unended = !ended
	kind, finish, cause := "", "", ""
	gjson.ParseBytes(line).ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "kind":
			kind = value.Str
		case "id":
			key.ID = strings.Clone(value.Str) // not the whole line
		case "question_id":
			key.QuestionID = int(value.Int())
		case "subject":
			key.Subject = strings.Clone(value.Str)
		case "finish":
			finish = value.Str
		case "cause":
			cause = value.Str
			return false
		}
		return true
	})
	key.Again = again(backends.Finish(finish), backends.Cause(cause))
	switch {
	case kind == KindInterim:
		return key, false, r.putAside(line)
	case kind == KindPartial:
		return key, false, r.takePartial(line)
	case kind != KindItem:
		err = (&Record{Kind: kind}).check()
	case key.ID == "" || finish == "":
		err = fmt.Errorf("%q: id or finish is empty", key.ID)
	}
	return key, true, err
}
