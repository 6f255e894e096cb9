package importlog

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// evalscope reads a review; there is a file for each subject. Its metadata has the question and its options where they
// were in the data.
func (e element) evalscope(subject string) (s sample, err error) {
	meta := e.Get("sample_score.sample_metadata")
	prompt, chat := promptOf(e.Get("messages"), e.Get("input")) // older logs have the second
	if choices, are := textsIn(meta.Get("choices")); are && len(choices) > 0 {
		s = sample{prompt: prompt, chat: chat, question: meta.Get("question").Str, options: choices}
	} else if s, err = shown(prompt, chat); err != nil {
		return s, err
	}
	if err = s.readCompletion(e.Get("sample_score.score.prediction"), "sample_score: the prediction"); err != nil {
		return s, err
	}
	s.subject = cmp.Or(meta.Get("subject").Str, subject)
	s.numberBy(meta.Get("question_id"))
	s.asking, _ = numberIn(e.Get("index"))
	return s, s.answer(e.Get("target"))
}

// openCompass reads a prediction; the subject is in the file's name.
func (e element) openCompass(subject string) (s sample, err error) {
	if s, err = shown(promptOf(e.Get("origin_prompt"), gjson.Result{})); err != nil {
		return s, err
	}
	s.subject, s.id = subject, unnumbered
	if err = s.readCompletion(e.Get("prediction"), "the prediction"); err != nil {
		return s, err
	}
	return s, s.answer(e.Get("gold"))
}

// unnumbered is the id of a question without one in its log; see [collector.number].
const unnumbered = -1

// numberBy gives the sample its question's id, where there is one.
func (s *sample) numberBy(id gjson.Result) {
	s.id = unnumbered
	if n, is := numberIn(id); is {
		s.id = n
	}
}

// answer reads the gold letter, alone or in a list of one.
func (s *sample) answer(raw gjson.Result) error {
	gold, is := textIn(raw)
	if !is {
		return errors.New("has no gold letter (target or gold)")
	}
	if s.gold = strings.Trim(strings.TrimSpace(gold), "()"); !s.hasLetter(s.gold) {
		return fmt.Errorf("gold %q is not one of its %d letters", gold, len(s.options))
	}
	return nil
}
