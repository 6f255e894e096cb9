package exportlog

import (
	"regexp"
	"slices"
	"strings"

	"proctor/prompts/task"
)

// heads match what stands before a question in prompts, up to the question.
var heads = regexp.MustCompile(`(?:^|\n)[ \t]*Question:\s*`)

// optionsHead matches a line between a question and its options.
var optionsHead = regexp.MustCompile(`\n\s*Options:\s*$`)

// asked takes the question out of an item's prompt: what stands before its options, behind the last "Question:". A question that has
// such a line itself is known by being a published one. own is the prompt without what the subject's items share. Where the
// prompt does not show the options as a letter and a text a line, it is the whole own prompt and not found.
func asked(item *Item, own string) (question string, found bool) {
	end := optionsAt(item.Prompt, item.Options)
	if end < 0 {
		return strings.TrimSpace(own), false
	}
	before := item.Prompt[:end]
	before = before[:len(before)-len(optionsHead.FindString(before))]
	var likely []string
	at := heads.FindAllStringIndex(before, -1)
	for _, head := range slices.Backward(at) {
		likely = append(likely, strings.TrimSpace(before[head[1]:]))
	}
	if start := len(item.Prompt) - len(own); start < len(before) {
		likely = append(likely, strings.TrimSpace(before[start:]))
	}
	if parts := strings.Split(before, "\n\n"); len(parts) > 1 {
		likely = append(likely, strings.TrimSpace(parts[len(parts)-1]))
	}
	for _, text := range likely {
		if task.IsPublished(item.ID, text, item.Options) {
			return text, true
		}
	}
	if len(likely) == 0 {
		return strings.TrimSpace(own), false
	}
	return likely[0], true
}

// optionsAt is where the last list of the options begins, an option a line, each behind its letter; -1 where there is none.
func optionsAt(prompt string, options []string) int {
	var lines strings.Builder
	for i, text := range options {
		lines.WriteString(`\s*^[ \t]*\(?` + string(rune('A'+i)) + `[.):]*[ \t]*` + regexp.QuoteMeta(strings.TrimSpace(text)))
	}
	list, err := regexp.Compile(`(?m)` + strings.TrimPrefix(lines.String(), `\s*`))
	if err != nil { // more text than a pattern may have
		return -1
	}
	all := list.FindAllStringIndex(prompt, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][0]
}
