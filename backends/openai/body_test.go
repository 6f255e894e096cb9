package openai

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

// What people have sent goes with every request, and is journalled without what is secret.
func TestABodyIsSentWhole(t *testing.T) {
	for _, c := range []struct {
		body  string
		sent  map[string]any
		shown string
	}{
		{
			`{"reasoning_effort":"low","n_keep":12345678901234567890,"nested":{"a":[1,null]}}`,
			map[string]any{"reasoning_effort": "low", "n_keep": 12345678901234567890.0, "nested": map[string]any{"a": []any{1.0, nil}}},
			`{"n_keep":12345678901234567890,"nested":{"a":[1,null]},"reasoning_effort":"low"}`,
		}, {
			`{"api_key":"sk-1","user":"by sk-of-the-server","list":[{"password":"p"}]}`,
			map[string]any{"api_key": "sk-1", "user": "by sk-of-the-server"},
			`{"api_key":"[secret]","list":[{"password":"[secret]"}],"user":"by [secret]"}`,
		},
	} {
		body, err := ParseBody([]byte(c.body), false)
		assert.NilError(t, err)
		f := newFake(yes)
		m := at(t, Options{Body: body, Key: "sk-of-the-server"}, f)
		one(t, m, question)
		for field, want := range c.sent {
			assert.DeepEqual(t, f.last()[field], want)
		}
		assert.Equal(t, f.last()["prompt"], question.Prompt)
		info, err := m.Info(t.Context())
		assert.NilError(t, err)
		assert.Equal(t, string(info.Engine.ExtraBody), c.shown)
	}
}

// Every field that is sent anyway is refused, whatever the engine and the request.
func TestABodyOverwritesNothing(t *testing.T) {
	f := newFake(yes)
	one(t, at(t, Options{}, f), backends.Request{
		Prompt: "Question", Stop: []string{"END"}, MaxTokens: 7, Sampling: backends.Sampling{RepeatPenalty: 1.1},
	})
	for field := range f.last() {
		_, err := ParseBody([]byte(`{"a":1,"`+field+`":1}`), true)
		if refused, is := errors.AsType[*BodyError](err); !is || refused.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for text, want := range map[string]string{
		`{"temperature":1}`:             `"temperature": proctor sets this field itself, so leave it out: give temperature`,
		`{"messages":[]}`:               `"messages": proctor sets this field itself`,
		`{"chat_template_kwargs":{}}`:   "give template arg",
		`{"a.b":1}`:                     `"a.b": a field's name has letters, digits, _ and - only`,
		`{}`:                            "give a JSON object with at least one field",
		`[1]`:                           "cannot unmarshal array",
		`{"a":1} {"b":2}`:               "something follows the object",
		`{"a":`:                         "unexpected EOF: give a JSON object",
		`{"api_key":"x"}`:               "a field looks secret",
		`{"a":{"Authorization":"b c"}}`: "a field looks secret",
		`{"a":[{"access_token":"b"}]}`:  "a field looks secret",
	} {
		_, err := ParseBody([]byte(text), true)
		errortest.For(t, text, err, want)
	}
	for _, plain := range []string{`{"min_tokens":1}`, `{"stop_token_ids":[1]}`, `{"thinking_token_budget":5}`, `{"keyboard":"x"}`, `{"key":null}`} {
		if _, err := ParseBody([]byte(plain), true); err != nil {
			t.Errorf("%s: %v", plain, err)
		}
	}
}

// A key on a command line would be in the journal's flags.
func TestABodyOfACommandLineHasNotTheServersKey(t *testing.T) {
	body, err := ParseBody([]byte(`{"user":"sk-of-the-server"}`), true)
	assert.NilError(t, err)
	_, err = unmet(Options{Base: "http://127.0.0.1:1", Key: "sk-of-the-server", Body: body})
	errortest.Says(t, err, "extra body has the key or the password of a server")
}
