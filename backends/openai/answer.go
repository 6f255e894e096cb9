package openai

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"proctor/backends/servers"
)

// An answer reads the events of a completion.
type answer struct {
	*servers.Answer
	usage    usage
	timings  timings
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
		// SGLang's word for it; a token's number where one ended the text
		Matched json.RawMessage `json:"matched_stop"`
		Told    json.RawMessage `json:"logprobs"`
		Error   json.RawMessage `json:"error"`
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

// endings are the protocol's finish reasons, and those that servers add.
var endings = map[string]servers.Ending{
	"stop": servers.Whole, "eos": servers.Whole, "eos_token": servers.Whole, "stop_sequence": servers.Whole,
	"end_turn": servers.Whole,
	"length":   servers.Length, "max_tokens": servers.Length, "model_length": servers.Length,
	"content_filter": servers.Filter, "refusal": servers.Filter, "safety": servers.Filter,
	"tool_calls": servers.Tool, "function_call": servers.Tool, "tool_use": servers.Tool,
}

// extra reads a part of an event. What is missing or of another type leaves into unchanged.
func extra(raw json.RawMessage, into any) { _ = json.Unmarshal(raw, into) }

// take takes an event. Only one choice was requested: others are none of the answer. An error beside a choice counts,
// too.
func (a *answer) take(data []byte) error {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	complaint := []byte(e.Error)
	if len(e.Choices) == 0 {
		complaint = data
	} else if len(complaint) == 0 {
		complaint = e.Choices[0].Error
	}
	if refusal := complaintIn(complaint); refusal.Words != "" {
		return &refusal
	}
	extra(e.Usage, &a.usage)
	extra(e.Timings, &a.timings)
	extra(e.Server, &a.Fingerprint)
	for _, choice := range e.Choices {
		if choice.Index != 0 {
			continue
		}
		var thinking, text, refusal string
		for _, t := range []turn{{Content: choice.Text}, choice.Turn, choice.Whole} {
			own, words, refuses := a.read(t.Content)
			for _, reasoning := range []json.RawMessage{t.ReasoningContent, t.Reasoning} {
				if own == "" {
					extra(reasoning, &own)
				}
			}
			thinking, text, refusal = thinking+own, text+words, refusal+refuses+t.Refusal
		}
		a.Finish = cmp.Or(choice.Finish, a.Finish)
		extra(choice.Matched, &a.Stop)
		extra(choice.Stop, &a.Stop)
		extra(choice.Told, &struct{ Content *[]tokenLogprob }{&a.logprobs})
		return a.Add(thinking, text, refusal)
	}
	return nil
}

// read reads a content: a text, or an array of the parts that some servers give, texts or thinking in parts of its own,
// which are joined.
func (a *answer) read(raw json.RawMessage) (thinking, text, refusal string) {
	if json.Unmarshal(raw, &text) == nil {
		a.HasText = a.HasText || string(raw) != "null"
		return "", text, ""
	}
	var all []struct {
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
		Refusal  string          `json:"refusal"`
	}
	extra(raw, &all)
	for _, p := range all {
		a.HasText = true
		_, thought, refused := a.read(p.Thinking)
		thinking, text, refusal = thinking+thought, text+p.Text, refusal+p.Refusal+refused
	}
	return thinking, text, refusal
}

// tally puts together what the server said of the whole answer. The completion tokens of xAI and Gemini leave out those
// of thinking, which the total has.
func (a *answer) tally() {
	u, t := a.usage, a.timings
	milliseconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	a.Ending = endings[strings.ToLower(a.Finish)]
	a.Fingerprint = strings.ToValidUTF8(a.Fingerprint[:min(len(a.Fingerprint), mostFingerprint)], "")
	a.Prompt, a.Output, a.Cached = u.Prompt, cmp.Or(u.Output, t.Predicted), u.PromptDetails.Cached
	thought := cmp.Or(u.OutputDetails.Reasoning, u.Reasoning)
	if u.Prompt > 0 {
		a.Apart = max(0, u.Total-u.Prompt-a.Output)
	}
	if thought > a.Output {
		a.Apart = max(a.Apart, thought)
	}
	a.Thought = max(thought, a.Apart)
	if t.Prompt > 0 { // a server with timings may lack the protocol's own counts
		a.Cached = max(a.Cached, cmp.Or(u.Prompt, len(a.Request.IDs))-t.Prompt)
	}
	a.Drafted, a.Accepted = t.Drafted, t.Accepted
	a.Timed, a.Prefill, a.Decode = t.Prompt+t.Predicted > 0, milliseconds(t.PromptMS), milliseconds(t.DecodeMS)
}
