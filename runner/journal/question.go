package journal

import (
	"regexp"
	"slices"
	"strings"

	"proctor/prompts/task"
)

// heads match the "Question:" before a question in a prompt.
var heads = regexp.MustCompile(`(?:^|\n)[ \t]*Question:\s*`)

// optionsHead matches a line between a question and its options.
var optionsHead = regexp.MustCompile(`\n\s*Options:\s*$`)

// QuestionText is the text of the item's question: the prompt from behind the last "Question:" to the options. A published question
// that has such a line itself is recognised by its checksum. preamble is the subject's. found is false where the prompt does not list
// the options a letter and a text a line; the text is then the record's whole prompt. For a true-or-false item it is the sentence of
// [task.About], however the prompt words it.
func (r *Record) QuestionText(preamble string) (question string, found bool) {
	if r.Question != "" {
		return r.Question, true
	}
	end := optionsAt(r.Prompt, r.OptionTexts)
	if r.OptionsOriginal > 0 {
		own := r.Prompt
		if end >= 0 {
			own = optionsHead.ReplaceAllString(own[:end], "")
		}
		if about, style := task.ReadAbout(own); style == task.StyleOfMax || style != "" && end >= 0 {
			return about.String(), true
		}
	}
	if end < 0 {
		return strings.TrimSpace(r.Prompt), false
	}
	before := preamble + r.Prompt[:end]
	before = before[:len(before)-len(optionsHead.FindString(before))]
	var likely []string
	for _, head := range slices.Backward(heads.FindAllStringIndex(before, -1)) {
		likely = append(likely, strings.TrimSpace(before[head[1]:]))
	}
	parts := strings.Split(before, "\n\n")
	likely = append(likely, strings.TrimSpace(before[min(len(preamble), len(before)):]), strings.TrimSpace(parts[len(parts)-1]))
	for _, text := range likely {
		if task.IsPublished(r.QuestionID, text, r.OptionTexts) {
			return text, true
		}
	}
	return likely[0], true
}

// space matches whatever [strings.TrimSpace] takes off; some options begin with a line feed.
const space = `[\s\v\x{85}\p{Z}]*`

// optionsAt is where the last list of the options begins, an option a line, each behind its letter; -1 where there is none.
func optionsAt(prompt string, options []string) int {
	if len(options) == 0 {
		return -1
	}
	var lines strings.Builder
	for i, text := range options {
		lines.WriteString(space + `^[ \t]*\(?` + string(rune('A'+i)) + `[.):]*` + space + regexp.QuoteMeta(strings.TrimSpace(text)))
	}
	list, err := regexp.Compile(`(?m)` + strings.TrimPrefix(lines.String(), space))
	if err != nil { // more text than a pattern may have
		return -1
	}
	all := list.FindAllStringIndex(prompt, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][0]
}
