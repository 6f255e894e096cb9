package importlog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"proctor/backends"
	"proctor/prompts/task"
	"proctor/runner/journal"
)

// unknownSet is the set's name in the header of a log that does not name it.
const unknownSet = "imported-log"

// A Log is another harness's log in a journal's terms.
type Log struct {
	Header  journal.Header
	Records []journal.Record // in the log's order, each id once
}

// Keep writes the log as a new journal, whole or not at all; run is as [journal.Compose] takes it.
func (l *Log) Keep(run string) error {
	return journal.Compose(run, l.Header, func(to io.Writer) error {
		for _, r := range l.Records {
			line, err := r.Line()
			if err == nil {
				_, err = to.Write(line)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A sample is one question with its completion, as any format gives it.
type sample struct {
	id       int
	question string
	options  []string
	gold     string
	subject  string
	prompt   string    // the whole prompt; empty where the log has none
	text     *string   // the completion; nil where the log has none
	others   []*string // more completions of the same prompt
	asking   int       // number of the prompt's completion, where the log has several; see [Log.settle]
	variant  string    // the order of the options, as a circular run names it, or the letter of the option asked about; or empty
	repeat   int       // from 1
	sampling journal.Sampling
	chat     bool   // the prompt is a list of chat messages
	oddity   string // a remark for the header's notes
	about    *about // of a row that asks about one option; its options are True and False
}

// assemble makes a log of samples, at least one; h describes their source.
func assemble(samples []sample, h journal.Header) (*Log, error) {
	l := &Log{Header: h}
	l.noteOdd(samples)
	samples, err := l.settle(samples)
	if err != nil {
		return nil, err
	}
	questions := firsts(samples)
	l.Header.Preambles = preambles(samples, questions)
	ids := make([]string, 0, len(samples))
	for _, s := range samples {
		r := s.record(l.Header.Task, l.Header.Preambles[s.subject])
		l.Records = append(l.Records, r)
		ids = append(ids, r.ID)
	}
	l.Header.Dataset = journal.Dataset{Name: unknownSet, SHA256: digest(questions), Split: "test", Rows: len(questions)}
	l.recognise(questions)
	l.Header.Selection = journal.Selection{IDsSHA256: journal.DigestIDs(ids), Items: len(ids), Questions: len(questions)}
	l.Header.Sampling = samples[0].sampling
	if samples[0].prompt == "" {
		l.note("The log holds no prompts.")
	}
	if l.Header.Shots == unknownShots {
		l.note("The log does not say how many shots the prompts had.")
	}
	l.note("dataset.sha256 is a checksum of the log's own questions and options, equal for logs over the same ones; " +
		"it is not that of a dataset's files.")
	l.Header.Fingerprint = l.Header.Digest()
	return l, nil
}

// firsts are the first sample of each question, with the question's own options and gold letter.
func firsts(samples []sample) (questions []sample) {
	seen := map[int]bool{}
	for _, s := range samples {
		if !seen[s.id] {
			if s.about != nil {
				s.options, s.gold = s.about.of.options, s.about.of.gold
			}
			questions = append(questions, s)
		}
		seen[s.id] = true
	}
	return questions
}

// recognise says whether the log's questions are the published ones, by their ids, texts and options. A few may differ: the set's
// authors corrected some after the first logs were published.
func (l *Log) recognise(samples []sample) {
	known := 0
	for _, s := range samples {
		if task.IsPublished(s.id, s.question, s.options) {
			known++
		}
	}
	if known*10 < len(samples)*9 {
		return
	}
	l.Header.Dataset.Name, l.Header.Dataset.Published = "mmlu-pro", task.Published
	if other := len(samples) - known; other > 0 {
		l.note(fmt.Sprintf("%d of its %d questions are not as %s has them now.", other, len(samples), task.Published))
	}
}

func (l *Log) note(text string) { l.Header.Notes = append(l.Header.Notes, text) }

func (l *Log) noteOdd(samples []sample) {
	odd := map[string]int{}
	for _, s := range samples {
		if s.oddity != "" {
			odd[s.oddity]++
		}
	}
	for _, note := range slices.Sorted(maps.Keys(odd)) {
		l.note(fmt.Sprintf("%s (%d samples)", note, odd[note]))
	}
}

// latest keeps the last sample of each try at a question, as a journal does, and notes how many it dropped. Samples with the same id
// are of the same question, see [collector.add].
func (l *Log) latest(samples []sample) []sample {
	type asking struct {
		id, asking int
		options    string
		row        int
	}
	var kept []sample
	at, changed := map[asking]int{}, 0
	for _, s := range samples {
		key := asking{id: s.id, asking: s.asking, options: strings.Join(s.options, "\x00")}
		if s.about != nil {
			key.options, key.row = s.about.option, s.about.row
		}
		i, seen := at[key]
		if !seen {
			at[key] = len(kept)
			kept = append(kept, s)
			continue
		}
		if a, b := kept[i].text, s.text; a != b && (a == nil || b == nil || *a != *b) {
			changed++
		}
		kept[i] = s
	}
	if changed > 0 {
		l.note(fmt.Sprintf("%d completions were replaced by a later one for the same question.", changed))
	}
	return kept
}

// record leaves usage and timing at zero: the log does not have them.
func (s *sample) record(taskName, preamble string) journal.Record {
	id := path.Join(taskName, strconv.Itoa(s.id), s.variant)
	r := journal.Record{
		Kind: journal.KindItem, ID: journal.RepeatID(id, s.repeat), QuestionID: s.id, Variant: s.variant,
		Subject: s.subject, Options: len(s.options), Gold: s.gold, OptionTexts: s.options,
		Question: s.question, Prompt: strings.TrimPrefix(s.prompt, preamble), Finish: backends.FinishStop, Attempt: 1,
	}
	if s.about != nil {
		r.OptionsOriginal = s.about.of.count
		r.Question = task.About{Option: s.about.option, Question: s.question}.String()
	}
	if s.repeat > 1 {
		r.Repeat = s.repeat
	}
	if s.text == nil {
		r.Finish, r.Error = backends.FinishError, "the log has no completion"
		return r
	}
	r.Text = *s.text
	return r
}

// digest is a SHA-256 over questions, options and gold letters in ascending order of id.
func digest(samples []sample) string {
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b sample) int { return cmp.Compare(a.id, b.id) })
	sum := sha256.New()
	for _, s := range sorted {
		fmt.Fprintf(sum, "%d %q %q %s\n", s.id, s.question, s.options, s.gold)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
