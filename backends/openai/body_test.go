package openai

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

func TestABodyIsSentWithEveryRequest(t *testing.T) {
	body, err := ParseBody([]byte(`{"reasoning_effort":"low","grammar":"root ::= [A-J]","n_keep":12345678901234567890,"nested":{"a":[1,null]}}`), true)
	if err != nil {
		t.Fatal(err)
	}
	s := &fakeServer{}
	model := opened(t, s)
	model.options.Body = body
	one(t, model, backends.Request{ID: "1", Prompt: "Question", MaxTokens: 7})
	sent := s.bodies[len(s.bodies)-1]
	for field, want := range map[string]any{
		"reasoning_effort": "low", "grammar": "root ::= [A-J]", "n_keep": 12345678901234567890.0,
		"nested": map[string]any{"a": []any{1.0, nil}}, "prompt": "Question", "max_tokens": 7.0,
	} {
		if !reflect.DeepEqual(sent[field], want) {
			t.Errorf("%s is %v, want %v", field, sent[field], want)
		}
	}
	info, err := model.Info(t.Context())
	const want = `{"grammar":"root ::= [A-J]","n_keep":12345678901234567890,"nested":{"a":[1,null]},"reasoning_effort":"low"}`
	if got := string(info.Engine.ExtraBody); err != nil || got != want {
		t.Errorf("the journal would have %s, %v", got, err)
	}
}

// Every field that is sent anyway is refused, whatever the engine and the request.
func TestABodyOverwritesNothing(t *testing.T) {
	s := &fakeServer{}
	model := opened(t, s)
	one(t, model, backends.Request{ID: "1", Prompt: "Question", Stop: []string{"END"}, MaxTokens: 7, Sampling: backends.Sampling{RepeatPenalty: 1.1}})
	for field := range s.bodies[0] {
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

func TestABodysSecretsAreSentAndNotShown(t *testing.T) {
	body, err := ParseBody([]byte(`{"api_key":"sk-1","user":"by sk-of-the-server","list":[{"password":"p"}]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	s := &fakeServer{}
	model := opened(t, s)
	model.options.Body, model.secrets = body, strings.NewReplacer("sk-of-the-server", "[secret]")
	one(t, model, backends.Request{ID: "1", Prompt: "Question", MaxTokens: 7})
	if sent := s.bodies[len(s.bodies)-1]; sent["api_key"] != "sk-1" || sent["user"] != "by sk-of-the-server" {
		t.Errorf("sent %v", sent)
	}
	info, err := model.Info(t.Context())
	const want = `{"api_key":"[secret]","list":[{"password":"[secret]"}],"user":"by [secret]"}`
	if got := string(info.Engine.ExtraBody); err != nil || got != want {
		t.Errorf("shown is %s, %v", got, err)
	}
}

// A key on a command line would be in the journal's flags.
func TestABodyOfACommandLineHasNotTheServersKey(t *testing.T) {
	body, err := ParseBody([]byte(`{"user":"sk-of-the-server"}`), true)
	if err != nil {
		t.Fatal(err)
	}
	_, err = unmet(Options{Base: "http://127.0.0.1:1", Key: "sk-of-the-server", Body: body})
	errortest.Says(t, err, "extra body has the key or the password of a server")
}
