package ask

import (
	"fmt"
	"strings"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// join puts a completion and its item on one record.
func (a *execution) join(c *backends.Completion) (journal.Record, error) {
	taken, inFlight := a.flights[c.ID]
	if !inFlight {
		return journal.Record{}, notInFlight(c.ID)
	}
	delete(a.flights, c.ID)
	item, repeat := &a.Items[taken.item], a.repeats[taken.item]
	if repeat == 1 {
		repeat = 0 // the journal's word for it
	}
	fresh := 0 // new tokens, without a tokenizer none; counted at the first need, with those of the items before
	if a.tokens != nil {
		for order := a.order(); a.added[taken.item] == 0 && a.counted < len(order); {
			a.counted = min(a.counted+atATime, len(order))
			var err error
			if a.added, err = a.tokens.New(order[:a.counted]); err != nil {
				return journal.Record{}, err
			}
		}
		fresh = a.added[taken.item]
	}
	record := journal.Record{
		ID:                item.ID,
		QuestionID:        item.QuestionID,
		Subject:           item.Subject,
		Variant:           item.Variant,
		Repeat:            repeat,
		Options:           item.Options,
		OptionsOriginal:   item.OptionsOriginal,
		Gold:              item.Gold,
		OptionTexts:       item.OptionTexts,
		Prompt:            item.Text,
		Text:              c.Text,
		Finish:            c.Finish,
		Stop:              c.Stop,
		Cause:             c.Cause,
		Error:             c.Error,
		Usage:             c.Usage,
		Timing:            a.timing(c, taken),
		Attempt:           a.held.Attempts[c.ID] + max(1, c.Tries),
		Interrupted:       taken.interrupted(),
		Resumed:           c.Resumed,
		Server:            c.Server,
		SystemFingerprint: c.Fingerprint,
		NotTaken:          c.NotTaken,
		NewTokens:         fresh,
		Began:             taken.began,
		Others:            a.others.since(),
		MaxTokens:         a.header.Sampling.MaxTokens,
		Forks:             c.Forks,
	}
	if c.Prompt != "" { // that the backend made of the item's conversation
		own, fits := strings.CutPrefix(c.Prompt, item.Preamble)
		if record.Prompt = own; !fits {
			record.Prompt, record.Finish, record.Cause, record.Text = item.Text, backends.FinishError, "", ""
			record.Error = "the server did not begin this conversation as it begins the subject's others"
		}
	}
	if a.letters != nil && !record.Failed() {
		a.letters.keep(&record, c)
	}
	record.Usage.ThinkingTokens, record.ThinkClosed = a.thinking(a.model, c)
	return record, nil
}

func notInFlight(id string) error {
	return fmt.Errorf("the backend answered %q, which was not asked or was answered before", id)
}

// tokensOf counts a text's tokens, without the one that texts begin with; 0 where the tokenizer fails.
func tokensOf(tokenizer backends.Tokenizer, text string) int {
	whole, err := tokenizer.Tokenize(text)
	if err != nil {
		return 0
	}
	nothing, err := tokenizer.Tokenize("")
	if err != nil {
		return 0
	}
	return max(0, len(whole)-len(nothing))
}

// thinking counts the tokens of a completion's thinking, and says whether its budget closed it, also where the backend takes thinking
// for ordinary text and reports neither. Where the tokenizer fails, the backend's figures stay: the answer itself is there.
func (p *Prompts) thinking(model backends.Model, c *backends.Completion) (tokens int, closed bool) {
	tokenizer, ok := model.(backends.Tokenizer)
	thought := grade.Thinking(&p.header, c.Text)
	if c.Usage.ThinkingTokens > 0 || !ok || thought == "" {
		return c.Usage.ThinkingTokens, c.Closed
	}
	all := tokensOf(tokenizer, thought)
	if p.header.Strip { // the answer is marked without it
		tokens = min(all, c.Usage.OutputTokens)
	}
	b := p.budget
	closed = b != nil && strings.Contains(thought, b.Way.Close) && all-tokensOf(tokenizer, b.Way.Open+b.Way.Close) >= b.Most()
	return tokens, closed || c.Closed
}

// A clock gives a session's times. They never step back when the machine's clock is set back: otherwise items would seem to overlap,
// and the run to be faster than it was.
type clock struct {
	began  time.Time            // by the machine's clock, or later
	passed func() time.Duration // since then
}

func (c clock) now() time.Time { return c.began.Add(c.passed()) }

// setBack warns that the machine's clock is behind the end of an earlier session; empty where it is not.
func setBack(now time.Time, held *journal.Held) string {
	if !held.Ended.After(now) {
		return ""
	}
	return fmt.Sprintf("this machine's clock says %s, but the run's last answer came at %s: the clock was set back, or the other one was "+
		"ahead; the journal's times continue from that answer", now.UTC().Format(time.DateTime), held.Ended.UTC().Format(time.DateTime))
}

// othersWindow is the shortest time over which other programs are measured: the system counts CPU time in hundredths of a second.
const othersWindow = time.Second

// others measures other programs' use of the CPUs during a run. Each reading goes into the next line of the journal.
type others struct {
	model backends.Model
	last  time.Time
}

// since is the other programs' use since the last reading; nil where the time is too short, or it is unknown.
func (o *others) since() *journal.Others {
	if o == nil {
		return nil
	}
	over := time.Since(o.last)
	if over < othersWindow {
		return nil
	}
	o.last = o.last.Add(over)
	load := backends.LoadOf(o.model)
	if load.CPUs == 0 {
		return nil
	}
	return &journal.Others{Share: load.Share, Over: over, Threads: load.FewestThreads}
}

// keepEvery is how often unfinished answers are written to the journal; a killed run loses no more than that.
const keepEvery = time.Minute

// keepOpen writes an unfinished answer to the journal.
func (a *execution) keepOpen(c *backends.Completion) error {
	taken, before := a.flights[c.ID], a.open[c.ID]
	if taken == nil {
		return notInFlight(c.ID)
	}
	from := backends.CommonPrefix(before.Tokens, c.Tokens)
	timing := a.timing(c, taken)
	p := journal.Partial{ID: c.ID, From: from, Tokens: c.Tokens[from:], Interrupted: taken.interrupted(),
		Began: taken.began,
		Total: timing.Total, Decode: timing.Decode}
	if err := a.to.AppendPartial(p); err != nil {
		return err
	}
	p.Tokens = c.Tokens
	a.open[c.ID] = p
	a.notifyOpen(c.ID, len(p.Tokens))
	return nil
}

func (a *execution) notifyOpen(id string, tokens int) {
	if a.observer.Open != nil {
		a.observer.Open(id, tokens)
	}
}

// timing is the time of this try, and the engine's time for all of the answer's tokens.
func (a *execution) timing(c *backends.Completion, now *flight) backends.Timing {
	t := c.Timing
	if c.Resumed > 0 {
		t.Decode += now.before.Decode
	}
	t.Total = a.clock.now().Sub(now.began)
	return t
}
