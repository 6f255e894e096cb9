package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/servers"
)

// checkTruncation checks that the server read the whole prompt and had room for the whole answer, by the counts that it reports.
func (m *Model) checkTruncation(ctx context.Context, s *server, a *answer, used backends.Usage) error {
	read, sent, room := a.usage.Prompt, len(a.Request.IDs), s.known().context
	if m.options.Context > 0 {
		room = m.context
	}
	bytes := len(a.Request.Prompt)
	for _, message := range a.Request.Messages {
		if a.Request.Prompt == "" {
			bytes += len(message.Content)
		}
	}
	cut := read > 0 && (sent > 0 && servers.Fewer(read, sent) || room > 0 && read >= room)
	if read > 0 && !cut && sent == 0 && m.usual.Get().fewer(bytes, read) {
		var err error
		if cut, err = m.readsNoMore(ctx, s, a.Request, read); err != nil {
			return err
		}
	}
	switch {
	case cut:
		of := fmt.Sprintf(" of its %d bytes", bytes)
		if sent > 0 {
			of = fmt.Sprintf(" of %d", sent)
		}
		return &servers.Error{Cause: backends.CauseTruncated, Final: true, Text: servers.Shortened(read, of, room)}
	case a.ranOut():
		return &servers.Error{Cause: backends.CauseTruncated, Final: true, Text: fmt.Sprintf(
			"the answer got %d of %d tokens, then the server's context was full", used.OutputTokens, a.Request.MaxTokens)}
	}
	if read > 0 {
		m.usual.Change(func(p *proportion) {
			*p = proportion{p.prompts + 1, p.bytes + bytes, p.tokens + read, max(p.most, read)}
		})
	}
	return nil
}

// ranOut says whether an answer that was ended by its length got fewer tokens than it was to have: then the context was full. Pieces
// of a text are no tokens, so nothing follows from them, and LM Studio counts one token less than it wrote.
func (a *answer) ranOut() bool {
	return a.ending() == length && a.usage.Output > 0 && a.tokens().written < a.Request.MaxTokens-1
}

// readsNoMore finds out whether a server cut a prompt: then it reads no more tokens of the same prompt said twice. Prompts of a run
// may differ in how many tokens they have for their length.
func (m *Model) readsNoMore(ctx context.Context, s *server, r *servers.Request, read int) (bool, error) {
	twice := r.Request
	twice.MaxTokens = 1
	twice.Prompt += twice.Prompt
	twice.Messages = slices.Clone(r.Messages) // their turns stay, since templates refuse two of one role in a row
	for i := range twice.Messages {
		twice.Messages[i].Content += twice.Messages[i].Content
	}
	a, err := m.ask(ctx, s, &servers.Request{Request: twice, Pulled: time.Now()})
	var e *servers.Error
	if errors.As(err, &e) && e.Final { // it refuses what is too long, and so does not cut
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return 2*a.usage.Prompt < 3*read, nil
}

// proportion is how many tokens a run's prompts have for their length, where nobody counts them.
type proportion struct {
	prompts, bytes, tokens int
	most                   int // tokens of one
}

// Prompts of one run are much alike, so one with so small a share of the usual number of tokens may be no whole one.
const (
	fewestSeen  = 8
	cutPrompts  = 0.6
	shortPrompt = 1000 // bytes; shorter ones vary
)

// fewer says whether tokens are too few for a prompt of the given bytes. Where more were read of another prompt, there was room.
func (p proportion) fewer(bytes, tokens int) bool {
	return p.prompts >= fewestSeen && bytes >= shortPrompt && tokens >= p.most &&
		float64(tokens) < cutPrompts*float64(bytes)*float64(p.tokens)/float64(p.bytes)
}
