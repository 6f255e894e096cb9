package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/servers"
)

// answer gathers what a server has sent of a completion.
type answer struct {
	*servers.Answer
	finish   string
	stop     string          // that ended it, as vLLM reports
	refusal  strings.Builder // what the model says instead of an answer
	content  bool            // there was a text, if only an empty one
	usage    usage
	timings  timings
	server   string         // its system_fingerprint: what of the service answered
	logprobs []tokenLogprob // of the tokens, where they were requested
}

// An event is one of a streamed answer. What servers differ in is left as it came.
type event struct {
	Choices []struct {
		Index  int             `json:"index"`
		Text   json.RawMessage `json:"text"`    // of a completion
		Turn   turn            `json:"delta"`   // of a conversation
		Whole  turn            `json:"message"` // the same, of an answer that is no stream
		Finish string          `json:"finish_reason"`
		Stop   json.RawMessage `json:"stop_reason"`
		Told   json.RawMessage `json:"logprobs"`
	} `json:"choices"`
	Error   json.RawMessage `json:"error"`
	Usage   json.RawMessage `json:"usage"`
	Timings json.RawMessage `json:"timings"`
	Server  json.RawMessage `json:"system_fingerprint"`
}

// A turn is the model's, or a piece of it.
type turn struct {
	Content          json.RawMessage `json:"content"`
	ReasoningContent json.RawMessage `json:"reasoning_content"` // by older servers
	Reasoning        json.RawMessage `json:"reasoning"`         // by newer ones
	Refusal          string          `json:"refusal"`
}

// usage is the protocol's counts of an answer's tokens.
type usage struct {
	Prompt        int `json:"prompt_tokens"`
	Output        int `json:"completion_tokens"`
	Total         int `json:"total_tokens"`
	PromptDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Reasoning int `json:"reasoning_tokens"` // by SGLang
}

// timings are llama-server's for an answer, in tokens and milliseconds.
type timings struct {
	Prompt    int     `json:"prompt_n"` // evaluated
	PromptMS  float64 `json:"prompt_ms"`
	Predicted int     `json:"predicted_n"`
	DecodeMS  float64 `json:"predicted_ms"`
	Drafted   int     `json:"draft_n"` // by speculative decoding
	Accepted  int     `json:"draft_n_accepted"`
}

// mostFingerprint is how many bytes of a service's fingerprint are kept of each answer: those that are known have up to 20.
const mostFingerprint = 64

// extra reads a part of an event. What is missing or of another type leaves into unchanged.
func extra(raw json.RawMessage, into any) { _ = json.Unmarshal(raw, into) }

// take takes an event, and says whether the text is done, whatever the server would add. Only one choice was requested: others are
// none of the answer.
func (a *answer) take(e event) (done bool, err error) {
	extra(e.Usage, &a.usage)
	extra(e.Timings, &a.timings)
	extra(e.Server, &a.server)
	for _, choice := range e.Choices {
		if choice.Index != 0 {
			continue
		}
		var thinking, text string
		for _, t := range []turn{{Content: choice.Text}, choice.Turn, choice.Whole} {
			more, words, err := a.of(t)
			if err != nil {
				return false, err
			}
			thinking, text = thinking+more, text+words
		}
		a.finish = cmp.Or(choice.Finish, a.finish)
		extra(choice.Stop, &a.stop)
		extra(choice.Told, &struct{ Content *[]tokenLogprob }{&a.logprobs})
		err := a.Add(thinking, text)
		return thinking+text != "" && (a.Stopped() || a.Loops) && a.finish == "", err
	}
	return false, nil
}

// of are the thinking and the text of a turn. Its refusal is kept.
func (a *answer) of(t turn) (thinking, text string, err error) {
	thinking, text = a.parts(t.Content)
	for _, reasoning := range []json.RawMessage{t.ReasoningContent, t.Reasoning} {
		if thinking == "" {
			extra(reasoning, &thinking)
		}
	}
	if a.refusal.WriteString(t.Refusal); t.Refusal != "" {
		err = a.Count(t.Refusal)
	}
	return thinking, text, err
}

// completion returns the answer so far. tokenize counts what the server did not; counts that nobody has are 0.
func (a *answer) completion(tokenize func(string) ([]int32, error)) backends.Completion {
	t := a.tokens()
	c := backends.Completion{Text: a.Whole(), Usage: a.count(t, tokenize), Finish: backends.FinishStop, Stop: cmp.Or(a.Text.Stop(), a.stop)}
	switch {
	case a.refused():
		if c.Cause = backends.CauseRefused; c.Text == "" {
			c.Text = strings.ToValidUTF8(a.refusal.String(), "\uFFFD")
		}
	case a.ending() == tool:
		c.Cause = backends.CauseTool
	case a.loops():
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLoop
	case t.capped:
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLength
	}
	if t.written > 0 && c.Finish == backends.FinishStop && !a.MayHaveStopped() {
		c.Usage.OutputTokens-- // the token that ends texts
	}
	milliseconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	c.Fingerprint = strings.ToValidUTF8(a.server[:min(len(a.server), mostFingerprint)], "")
	c.Timing = a.Timing(milliseconds(a.timings.PromptMS), milliseconds(a.timings.DecodeMS), a.timings.Prompt+a.timings.Predicted > 0)
	return c
}

// stoppedBy is the stop string that ended a raw answer at a server which only says that it stopped; empty where a token did, or nobody can
// tell. With the stop string behind it the text has as many tokens as were written; without, one less than those where a token ended it.
func (a *answer) stoppedBy(tokenize func(string) ([]int32, error)) string {
	text := a.Text.String()
	if a.Request.Messages != nil || servers.TokensOf(tokenize, text)+1 == a.usage.Output {
		return ""
	}
	for _, stop := range stops(a.Request.Stop) {
		if n := servers.TokensOf(tokenize, text+stop); n > 0 && n == a.usage.Output {
			return stop
		}
	}
	return ""
}

// loops says whether the answer was ended because the model kept repeating itself, here or by the server.
func (a *answer) loops() bool { return a.Loops || a.finish == "" && a.Repeats() }

// tokens are the generated tokens of an answer, however its server counts them.
type tokens struct {
	written int  // with those of thinking, and in most servers with the one that ends texts; 0 where unknown
	thought int  // of them; 0 where the server does not say
	capped  bool // the cap on them ended the answer
}

// tokens puts together what the server says of them. The completion tokens of xAI and Gemini leave out those of thinking, which the total
// has. ik_llama.cpp says "stop" of an answer that reached the cap.
func (a *answer) tokens() tokens {
	output, thought := cmp.Or(a.usage.Output, a.timings.Predicted), cmp.Or(a.usage.OutputDetails.Reasoning, a.usage.Reasoning)
	apart := 0 // of thinking, which the output leaves out
	if a.usage.Prompt > 0 {
		apart = max(0, a.usage.Total-a.usage.Prompt-output)
	}
	if thought > output {
		apart = max(apart, thought)
	}
	return tokens{
		written: output + apart, thought: max(thought, apart),
		capped: !a.Stopped() && (a.ending() == length || a.filled() && (a.Request.Messages != nil || len(stops(a.Request.Stop)) == 0)),
	}
}

// filled says whether an answer has as many tokens as it may have, though its server says that it ended otherwise.
func (a *answer) filled() bool { return a.ending() == whole && a.usage.Output >= a.Request.MaxTokens }

// count says how many tokens there were: the server's own numbers count, and those of its tokenizer where it sent none, as of an answer
// that was ended here. The pieces of a stream are no tokens.
func (a *answer) count(t tokens, tokenize func(string) ([]int32, error)) backends.Usage {
	u := backends.Usage{
		PromptTokens: cmp.Or(a.usage.Prompt, len(a.Request.IDs)), OutputTokens: t.written,
		ThinkingTokens: t.thought, ReusedTokens: a.usage.PromptDetails.Cached,
		DraftedTokens: max(0, a.timings.Drafted), AcceptedTokens: max(0, min(a.timings.Accepted, a.timings.Drafted)),
	}
	thinking := a.Thinking.String()
	if u.OutputTokens == 0 {
		u.OutputTokens = servers.TokensOf(tokenize, thinking+a.Text.String())
	}
	if u.ThinkingTokens == 0 {
		u.ThinkingTokens = min(servers.TokensOf(tokenize, thinking), u.OutputTokens)
	}
	if a.timings.Prompt > 0 { // a server with timings may lack the protocol's own counts
		u.ReusedTokens = max(u.ReusedTokens, u.PromptTokens-a.timings.Prompt)
	}
	u.ReusedTokens = max(0, min(u.ReusedTokens, u.PromptTokens-1)) // the last token is always evaluated
	return u
}

// An ending is how a server says that an answer ended.
type ending int

const (
	unknown ending = iota // by no word that is known: it may have failed
	whole
	length // by the cap on its tokens, or the end of the context
	filter // by a filter of the server, or the model's refusal
	tool   // by the call of a tool
)

// endings are the protocol's finish reasons, and those that servers add.
var endings = map[string]ending{
	"stop": whole, "eos": whole, "eos_token": whole, "stop_sequence": whole, "end_turn": whole,
	"length": length, "max_tokens": length, "model_length": length,
	"content_filter": filter, "refusal": filter, "safety": filter,
	"tool_calls": tool, "function_call": tool, "tool_use": tool,
}

func (a *answer) ending() ending { return endings[strings.ToLower(a.finish)] }

// refused says whether the model or a filter refused to answer. A text that a stop string ended was whole before.
func (a *answer) refused() bool {
	return !a.Stopped() && (a.ending() == filter || a.refusal.Len() > 0)
}

// odd is the error of an answer that ended otherwise than answers do, or has no text where there should be one; nil for others.
func (a *answer) odd() *servers.Error {
	t := a.tokens()
	failed := func(format string, values ...any) *servers.Error {
		return &servers.Error{Cause: backends.CauseEngine, Text: fmt.Sprintf(format, values...)}
	}
	switch {
	case a.Stopped() || a.refused() || a.loops():
		return nil
	case a.ending() == unknown:
		return failed("the server ended the answer with finish_reason %q", a.finish)
	case a.ending() == tool:
		return nil
	case a.Pieces > 0 || t.capped && t.written > 0 || t.thought > 0: // it may have thought alone, where nobody sees it
	case t.written > 1 && !(a.content && a.MayHaveStopped()):
		return failed("the server wrote %d tokens, and sent no text of them", t.written)
	case !a.content && t.written == 0:
		return failed("the answer has no text: its content is null")
	}
	return servers.OverCap(a.usage.Output, a.Request.MaxTokens)
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
