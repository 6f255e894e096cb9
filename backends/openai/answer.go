package openai

import (
	"cmp"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/stream"
)

// answer is what has come of a completion.
type answer struct {
	request  *servers.Request
	server   *server
	text     *stream.Text
	thinking strings.Builder
	stopped  bool // a stop string was found here, or the text is done
	finish   string
	pieces   int // with text in them: mostly a token each
	thoughts int // of them
	repeats  servers.Repeats
	size     servers.Size
	refusal  strings.Builder // what the model says instead of an answer
	called   bool            // the model called a tool
	content  bool            // there was a text, if only an empty one
	counted  int             // tokens of the answer by the vocabulary, where the server tells none
	usage    openai.CompletionUsage
	timings  timings
	asked    time.Time
	share    *servers.Share // of the server's time; nil until the first piece came

	likelihoods []likelihood // of its tokens, where they were asked for
}

func newAnswer(r *servers.Request, s *server) *answer {
	return &answer{request: r, server: s, asked: time.Now(), text: stream.NewText(r.Stop).Until(r.Done)}
}

// add takes what an event brought, and says whether the text is done, whatever the server would add.
func (a *answer) add(thinking, text, finish string) (done bool, err error) {
	if finish != "" {
		a.finish = finish
	}
	if thinking+text == "" {
		return false, nil
	}
	if a.pieces++; a.share == nil {
		a.share = a.server.load.Begin()
	}
	if text == "" {
		a.thoughts++
	}
	a.repeats.Add(thinking + text)
	a.thinking.WriteString(thinking)
	a.stopped = a.text.Add([]byte(text))
	return a.stopped && a.finish == "", a.size.Add(thinking+text, a.request.MaxTokens)
}

// raw takes an event of a completion, turn one of a conversation. Only one choice was asked for: others are none of the answer.
func (a *answer) raw(event openai.Completion) (done bool, err error) {
	a.numbers(event.JSON.Usage.Valid(), event.Usage, event.JSON.ExtraFields["timings"].Raw())
	for _, choice := range event.Choices {
		if choice.Index != 0 {
			continue
		}
		a.likelihoods = append(a.likelihoods, likelihoods(choice.JSON.Logprobs.Raw())...)
		thinking, text := a.parts(choice.JSON.Text.Raw())
		return a.add(thinking, text, string(choice.FinishReason))
	}
	return false, nil
}

func (a *answer) turn(event openai.ChatCompletionChunk) (done bool, err error) {
	a.numbers(event.JSON.Usage.Valid(), event.Usage, event.JSON.ExtraFields["timings"].Raw())
	for _, choice := range event.Choices {
		if choice.Index != 0 {
			continue
		}
		a.likelihoods = append(a.likelihoods, likelihoods(choice.JSON.Logprobs.Raw())...)
		thinking, text := a.parts(choice.Delta.JSON.Content.Raw())
		for _, key := range []string{"reasoning_content", "reasoning"} { // by older servers, by newer ones
			if thinking == "" {
				extra(choice.Delta.JSON.ExtraFields[key].Raw(), &thinking)
			}
		}
		a.called = a.called || len(choice.Delta.ToolCalls) > 0 || choice.Delta.JSON.FunctionCall.Valid()
		if a.refusal.WriteString(choice.Delta.Refusal); choice.Delta.Refusal != "" {
			if err := a.size.Add(choice.Delta.Refusal, a.request.MaxTokens); err != nil {
				return false, err
			}
		}
		return a.add(thinking, text, choice.FinishReason)
	}
	return false, nil
}

// numbers reads tokens and times from an event.
func (a *answer) numbers(counted bool, usage openai.CompletionUsage, timings string) {
	if counted {
		a.usage = usage
	}
	extra(timings, &a.timings)
}

// ended closes the account of the answer's time. It is safe to call twice.
func (a *answer) ended() {
	if a.share == nil {
		a.share = a.server.load.Begin() // an answer without text
	}
	a.share.End()
}

// completion is the answer as it stands.
func (a *answer) completion() backends.Completion {
	c := backends.Completion{
		Text: backends.Tags.Around(a.thinking.String(), a.text.String(), a.stopped), Usage: a.count(), Finish: backends.FinishStop,
	}
	switch {
	case a.refused():
		if c.Cause = backends.CauseRefused; c.Text == "" {
			c.Text = strings.ToValidUTF8(a.refusal.String(), "\uFFFD")
		}
	case a.ending() == tool:
		c.Cause = backends.CauseTool
	case a.loops():
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLoop
	case !a.stopped && a.full(c.Usage.OutputTokens):
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLength
	}
	if counted := a.usage.CompletionTokens > 0; counted && c.Finish == backends.FinishStop && !a.mayHaveStopped() {
		c.Usage.OutputTokens-- // the token that ends texts
	}
	milliseconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	c.Timing = a.share.Timing(a.request.Pulled, a.asked, milliseconds(a.timings.PromptMS), milliseconds(a.timings.DecodeMS),
		a.timings.Prompt+a.timings.Predicted > 0)
	return c
}

// mayHaveStopped says whether a stop string may have ended the answer, so that tokens were counted which the text lacks.
func (a *answer) mayHaveStopped() bool {
	return a.stopped || a.request.Messages == nil && len(stops(a.request.Stop)) > 0
}

// loops says whether the server gave up because the model kept repeating itself.
func (a *answer) loops() bool { return !a.stopped && a.finish == "" && a.repeats.Loop() }

// full says whether the cap on its tokens ended the answer. Forks of llama-server say "stop" of every completion.
func (a *answer) full(written int) bool {
	return a.ending() == length || a.finish != "" && len(stops(a.request.Stop)) == 0 && written >= a.request.MaxTokens
}

// count says how many tokens there were. Of the prompt the server's own number counts, and where an answer was ended before it told
// that, what was counted here.
func (a *answer) count() backends.Usage {
	u := backends.Usage{
		PromptTokens: int(a.usage.PromptTokens), ReusedTokens: int(a.usage.PromptTokensDetails.CachedTokens),
		OutputTokens: int(a.usage.CompletionTokens), ThinkingTokens: int(a.usage.CompletionTokensDetails.ReasoningTokens),
	}
	if u.PromptTokens == 0 {
		u.PromptTokens = len(a.request.IDs)
	}
	if u.OutputTokens == 0 {
		u.OutputTokens = cmp.Or(a.counted, a.pieces)
	}
	if u.ThinkingTokens == 0 {
		u.ThinkingTokens = min(a.thoughts, u.OutputTokens)
	}
	if a.timings.Prompt > 0 { // a server that tells this may not tell the protocol's own
		u.ReusedTokens = max(u.ReusedTokens, u.PromptTokens-a.timings.Prompt)
	}
	u.ReusedTokens = max(0, min(u.ReusedTokens, u.PromptTokens-1)) // the last token is always evaluated
	return u
}
