package importlog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/journal"
)

// binary is the task of logs that ask about each option of a question.
var binary = task.All[slices.IndexFunc(task.All, func(t task.Task) bool { return t.Variants == task.EachOption })]

// about is what a row of mmlu_pro_binary asks, beside its question.
type about struct {
	option string // that it asks about
	row    int    // its number in lm-eval's task, by which rows are in order
	place  int    // the option's index in exports' order; -1 where the row does not have it
	count  int    // number of the question's options; 0 where the row does not have it
	style  string
	of     *fullQuestion
}

// fullQuestion is the question that several rows ask about, reconstructed from them.
type fullQuestion struct {
	options []string // empty for one that no row asks about
	gold    string   // empty where no row's answer is True
	count   int      // of its options, those known
}

// asksAbout recognises a sample of lm-eval's task mmlu_pro_binary, which asks about one option.
func (s *sample) asksAbout(e element) {
	asks, style := task.ReadAbout(s.question)
	if style == "" || !strings.EqualFold(strings.Join(s.options, " "), "True False") {
		return
	}
	if _, style = task.ReadAbout(s.prompt); style == "" {
		style = formatBinary
	}
	s.question = asks.Question
	s.about = &about{option: asks.Option, place: -1, style: style}
	s.about.row, _ = numberIn(e.Get("doc_id"))
	s.about.count, _ = numberIn(e.Get("doc.options_original"))
	if place, is := numberIn(e.Get("doc.option_ind")); is {
		s.about.place = place
	}
}

// arrangeOptions finds which option of its question each row asks about: the row says it, or else rows are in the options' order. A
// question may lack rows, as the last one of a log that --limit cut; that shows only where no row's answer is True.
func (l *Log) arrangeOptions(samples []sample) error {
	rows, lacking := map[int][]*sample{}, 0
	for i := range samples {
		rows[samples[i].id] = append(rows[samples[i].id], &samples[i])
	}
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		question, err := joinRows(rows[id])
		if err != nil {
			return fmt.Errorf("question %d %w", id, err)
		}
		if question.gold == "" {
			lacking++
			if question.count == len(question.options) && !slices.Contains(question.options, "") {
				question.count++
			}
		}
	}
	if lacking > 0 {
		l.note(fmt.Sprintf("%d of its %d questions have no option whose answer is True: rows are missing, and they count as incomplete.",
			lacking, len(rows)))
	}
	return nil
}

// joinRows gives the rows of a question their options' letters, and one question.
func joinRows(rows []*sample) (question *fullQuestion, err error) {
	slices.SortStableFunc(rows, func(a, b *sample) int { return cmp.Compare(a.about.row, b.about.row) })
	question = &fullQuestion{}
	last, next := about{row: -1}, 0
	for _, s := range rows {
		a := s.about
		if a.row != last.row || a.option != last.option {
			next++
		}
		last = *a
		at := a.place
		if at < 0 {
			at = next - 1
		}
		if at >= journal.MaxOptions {
			return nil, fmt.Errorf("has more than %d options", journal.MaxOptions)
		}
		for len(question.options) <= at {
			question.options = append(question.options, "")
		}
		s.variant = letter(at)
		switch known := question.options[at]; {
		case known != "" && known != a.option:
			return nil, fmt.Errorf("has two options %s: %q and %q", s.variant, known, a.option)
		case s.gold == "A" && question.gold != "" && question.gold != s.variant:
			return nil, fmt.Errorf("has two options whose answer is True, %s and %s: correct the log's answers", question.gold, s.variant)
		case s.gold == "A":
			question.gold = s.variant
		}
		question.options[at], a.of = a.option, question
		question.count = max(question.count, a.count, len(question.options))
	}
	return question, nil
}
