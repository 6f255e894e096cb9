package openai

import (
	"cmp"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"

	"proctor/backends"
	"proctor/backends/servers"
)

// answer is what has come of a completion.
type answer struct {
	*servers.Answer
	server  *server
	finish  string
	refusal strings.Builder // what the model says instead of an answer
	content bool            // there was a text, if only an empty one
	counted int             // tokens of the answer by the vocabulary, where the server tells none
	usage   openai.CompletionUsage
	timings timings

	likelihoods []likelihood // of its tokens, where they were asked for
}

// add takes what an event brought, and says whether the text is done, whatever the server would add.
func (a *answer) add(thinking, text, finish string) (done bool, err error) {
	a.finish = cmp.Or(finish, a.finish)
	err = a.Add(thinking, text)
	return thinking+text != "" && a.Stopped && a.finish == "", err
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
		if a.refusal.WriteString(choice.Delta.Refusal); choice.Delta.Refusal != "" {
			if err := a.Count(choice.Delta.Refusal); err != nil {
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

// completion is the answer as it stands.
func (a *answer) completion() backends.Completion {
	c := backends.Completion{
		Text: a.Whole(), Usage: a.count(), Finish: backends.FinishStop,
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
	case !a.Stopped && a.full(c.Usage.OutputTokens):
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLength
	}
	if counted := a.usage.CompletionTokens > 0; counted && c.Finish == backends.FinishStop && !a.MayHaveStopped() {
		c.Usage.OutputTokens-- // the token that ends texts
	}
	milliseconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	c.Timing = a.Timing(milliseconds(a.timings.PromptMS), milliseconds(a.timings.DecodeMS), a.timings.Prompt+a.timings.Predicted > 0)
	return c
}

// loops says whether the server gave up because the model kept repeating itself.
func (a *answer) loops() bool { return a.finish == "" && a.Repeats() }

// full says whether the cap on its tokens ended the answer. Forks of llama-server say "stop" of every completion.
func (a *answer) full(written int) bool {
	return a.ending() == length || a.finish != "" && len(stops(a.Request.Stop)) == 0 && written >= a.Request.MaxTokens
}

// count says how many tokens there were. Of the prompt the server's own number counts, and where an answer was ended before it told
// that, what was counted here.
func (a *answer) count() backends.Usage {
	u := backends.Usage{
		PromptTokens: int(a.usage.PromptTokens), ReusedTokens: int(a.usage.PromptTokensDetails.CachedTokens),
		OutputTokens: int(a.usage.CompletionTokens), ThinkingTokens: int(a.usage.CompletionTokensDetails.ReasoningTokens),
	}
	if u.PromptTokens == 0 {
		u.PromptTokens = len(a.Request.IDs)
	}
	if u.OutputTokens == 0 {
		u.OutputTokens = cmp.Or(a.counted, a.Pieces)
	}
	if u.ThinkingTokens == 0 {
		u.ThinkingTokens = min(a.Thoughts, u.OutputTokens)
	}
	if a.timings.Prompt > 0 { // a server that tells this may not tell the protocol's own
		u.ReusedTokens = max(u.ReusedTokens, u.PromptTokens-a.timings.Prompt)
	}
	u.ReusedTokens = max(0, min(u.ReusedTokens, u.PromptTokens-1)) // the last token is always evaluated
	return u
}
