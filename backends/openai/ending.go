package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/servers"
)

// An ending is how a server says that an answer ended.
type ending int

const (
	unknown ending = iota // by no word that is known: it may have failed
	whole
	length // by the cap on its tokens, or the end of the context
	filter // by a filter of the server, or the model's refusal
	tool   // by the call of a tool
)

// endings are the words of the protocol, and those that servers have beside them.
var endings = map[string]ending{
	"stop": whole, "eos": whole, "eos_token": whole, "stop_sequence": whole, "end_turn": whole,
	"length": length, "max_tokens": length, "model_length": length,
	"content_filter": filter, "refusal": filter, "safety": filter,
	"tool_calls": tool, "function_call": tool, "tool_use": tool,
}

func (a *answer) ending() ending { return endings[strings.ToLower(a.finish)] }

// refused says whether the model or a filter refused to answer. A text that a stop string ended was whole before.
func (a *answer) refused() bool {
	return !a.Stopped && (a.ending() == filter || a.refusal.Len() > 0)
}

// odd is the error of an answer that ended otherwise than answers do, or has no text where there should be one; nil for others.
func (a *answer) odd() *servers.Error {
	written := a.usage.Output
	failed := func(format string, values ...any) *servers.Error {
		return &servers.Error{Cause: backends.CauseEngine, Text: fmt.Sprintf(format, values...)}
	}
	switch {
	case a.Stopped || a.refused() || a.loops():
		return nil
	case a.ending() == unknown:
		return failed("the server ended the answer with finish_reason %q", a.finish)
	case a.ending() == tool:
		return nil
	case a.Pieces == 0 && written > 1 && !(a.content && a.MayHaveStopped()):
		return failed("the server wrote %d tokens, and sent no text of them", written)
	case !a.content && a.Pieces == 0 && written == 0:
		return failed("the answer has no text: its content is null")
	}
	return servers.OverCap(max(written, a.counted), a.Request.MaxTokens)
}

// A part is one of those that some servers give for a text: a text, or thinking in parts of its own.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking json.RawMessage `json:"thinking"`
	Refusal  string          `json:"refusal"`
}

// parts reads a content: a text, or an array of parts, which are joined.
func (a *answer) parts(raw json.RawMessage) (thinking, text string) {
	if json.Unmarshal(raw, &text) == nil {
		a.content = a.content || string(raw) != "null"
		return "", text
	}
	var all []part
	if json.Unmarshal(raw, &all) != nil {
		return "", ""
	}
	for _, p := range all {
		a.content = true
		text += p.Text
		a.refusal.WriteString(p.Refusal)
		if p.Thinking != nil {
			more, words := a.parts(p.Thinking)
			thinking += more + words
		}
	}
	return thinking, text
}
