package chat

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"proctor/backends/setting"
	"proctor/prompts/chat/jinja"
)

// Marks are what stands before and behind what a model thinks, without the blanks around them. Open is empty where it
// can't be read. Close ends thinking; Force, where it isn't empty, is how a turn goes on from thinking to the answer
// when that takes more.
type Marks struct{ Open, Close, Force string }

// ErrThinkingUnknown is EnableThinking for a template that would ignore it.
var ErrThinkingUnknown = errors.New("the model's chat template knows no enable_thinking")

// ErrEffortUnknown is Effort for a template that would ignore it.
var ErrEffortUnknown = setting.Errorf("the model's chat template knows no reasoning_effort; leave %s out",
	setting.ReasoningEffort)

const effortVariable = "reasoning_effort"

// What is rendered to see what a template does: texts that no template has or changes.
const asked, thought, said = "WhichOfThese", "FirstIThink", "ThenISay"

func object(pairs ...any) jinja.Object {
	var o jinja.Object
	for i := 0; i < len(pairs); i += 2 {
		o.Keys, o.Values = append(o.Keys, pairs[i].(string)), append(o.Values, pairs[i+1])
	}
	return o
}

// probe renders a question, and turns behind it, with further variables. Without those the assistant's turn is opened.
func (t *Template) probe(further map[string]any, turns ...any) (string, error) {
	variables := map[string]any{
		"messages":              append([]any{object("role", "user", "content", asked)}, turns...),
		"add_generation_prompt": len(turns) == 0,
		"bos_token":             "", "eos_token": "",
	}
	maps.Copy(variables, further)
	return t.render(variables, time.Unix(0, 0).UTC())
}

// switches are the variables that seem to be about thinking, but for the effort.
func (t *Template) switches() []string {
	return slices.DeleteFunc(t.parsed.Names(), func(name string) bool {
		return name == effortVariable || !strings.Contains(name, "think") && !strings.Contains(name, "reason")
	})
}

// findToggle returns the variable that switches thinking on and off: the first one, enable_thinking before others, with
// which true and false give different prompts, of which neither shows the value. It is empty for none.
func (t *Template) findToggle() string {
	for _, name := range append([]string{"enable_thinking"}, t.switches()...) {
		if !t.parsed.Reads(name) {
			continue
		}
		on, err := t.probe(map[string]any{name: true})
		if err != nil {
			continue
		}
		off, err := t.probe(map[string]any{name: false})
		if err == nil && on != off && strings.Count(on, "True") == strings.Count(off, "True") {
			return name
		}
	}
	return ""
}

// thinkError says what to do instead of switching thinking.
func (t *Template) thinkError() error {
	var others []string
	for _, name := range t.switches() {
		if name != "enable_thinking" {
			others = append(others, setting.TemplateArg.As(name+"=…"))
		}
	}
	if t.parsed.Reads(effortVariable) {
		others = append(others, setting.ReasoningEffort.As("…"))
	}
	for _, text := range t.parsed.Texts() {
		if strings.Contains(text, "/no_think") {
			others = append(others, setting.System.As("/no_think"))
			break
		}
	}
	if len(others) == 0 {
		return fmt.Errorf("%w; leave thinking on auto", ErrThinkingUnknown)
	}
	return fmt.Errorf("%w that changes the prompt; it may be switched with %s", ErrThinkingUnknown,
		strings.Join(others, " or "))
}

// CheckEffort refuses an effort that changes nothing: the template writes the same for a word that it can't know, and
// without any effort. What it writes may depend on whether the model is to think.
func (t *Template) CheckEffort(effort string, think *bool) error {
	known := func(think *bool) (words []string, can bool) {
		switched := map[string]any{}
		if t.toggle != "" && think != nil {
			switched[t.toggle] = *think
		}
		without, err := t.probe(switched)
		if err != nil {
			return nil, true // the run's own conversations will tell
		}
		tried := []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
		if !slices.Contains(tried, effort) {
			tried = append(tried, effort)
		}
		for _, word := range tried {
			switched[effortVariable] = "unheard-of"
			unheard, unheardErr := t.probe(switched)
			switched[effortVariable] = word
			text, err := t.probe(switched)
			if err == nil && (unheardErr != nil || text != unheard || text != without) {
				words, can = append(words, word), can || word == effort
			}
		}
		return words, can
	}
	const same = "the model's chat template writes the same with that effort as without: leave %s out, or take %s"
	words, can := known(think)
	if can {
		return nil
	}
	if len(words) > 0 {
		return fmt.Errorf(same, setting.ReasoningEffort, strings.Join(words, ", "))
	}
	if words, _ = known(new(true)); t.toggle != "" && think == nil && len(words) > 0 {
		return fmt.Errorf(same+" with %s", setting.ReasoningEffort, strings.Join(words, ", "), setting.Think.As("on"))
	}
	return ErrEffortUnknown
}

// Thinking reads from the template how its model marks what it thinks; found is false where it shows no thinking. It
// compares turns with and without a thought, then prompts with thinking on and off, then tries the template's own texts
// as marks.
func (t *Template) Thinking() (m Marks, found bool) {
	on, off := map[string]any{}, map[string]any{}
	if t.toggle != "" {
		on[t.toggle], off[t.toggle] = true, false
	}
	// between is what a conversation has between the question and another text.
	between := func(switched map[string]any, until string, turns ...any) string {
		text, err := t.probe(switched, turns...)
		if err != nil {
			return ""
		}
		_, text, _ = strings.Cut(text, asked)
		if at := strings.LastIndex(text, until); until != "" {
			text = text[:max(at, 0)]
		}
		return text
	}
	opening := between(on, "") // of the assistant's turn
	plain := between(on, said, object("role", "assistant", "content", said))
	if without := between(off, said, object("role", "assistant", "content", said)); len(without) < len(plain) {
		plain = without
	}
	for _, turn := range []jinja.Object{
		object("role", "assistant", "content", said, "reasoning_content", thought, "reasoning", thought, "thinking", thought,
			"thought", thought),
		object("role", "assistant", "content", []any{
			object("type", "thinking", "thinking", thought), object("type", "text", "text", said)}),
		object("role", "assistant", "content", object("blocks", []any{
			object("type", "thoughts", "text", thought), object("type", "response", "text", said)})),
	} {
		head, behind, shown := strings.Cut(between(on, said, turn), thought)
		if !shown || strings.TrimSpace(behind) == "" || strings.Contains(behind, "type") { // the value itself, written out
			continue
		}
		m.Close = strings.TrimSpace(behind)
		header := head[:min(commonPrefix(head, opening), commonPrefix(head, plain))]
		if _, own, again := strings.Cut(behind, strings.TrimSpace(opening)); again && strings.TrimSpace(own) != "" {
			m.Close, m.Force = strings.TrimSpace(own), behind // the answer has a turn of its own
		} else if ending, h := answers(behind, plain, head); ending != "" {
			m.Close, m.Force, header = strings.TrimSpace(ending), behind, h
		}
		rest, opens := strings.CutPrefix(head, opening)
		switch m.Open = mirrored(m.Close, t.source+head+opening); {
		case m.Open != "":
		case opens && strings.TrimSpace(rest) != "":
			m.Open = strings.TrimSpace(rest)
		case strings.TrimSpace(head[len(header):]) != "":
			m.Open = strings.TrimSpace(head[len(header):])
		default: // the prompt alone has it
			m.Open = strings.TrimSpace(opening[commonPrefix(opening, plain):])
		}
		return m, true
	}
	for _, empty := range []string{between(off, ""), plain} { // with a thought of nothing
		empty = strings.TrimSpace(empty[commonPrefix(empty, opening):])
		if opening, closing, are := strings.Cut(empty, "\n"); are && opening != "" {
			return Marks{Open: opening, Close: strings.TrimSpace(closing)}, true
		}
		for i := range empty {
			if opening := mirrored(empty[i:], empty); opening != "" && opening == empty[:i] {
				return Marks{Open: opening, Close: empty[i:]}, true
			}
		}
	}
	for _, text := range t.parsed.Texts() {
		mark := strings.TrimSpace(text)
		if len(mark) < 3 || mirrored(mark, t.source) == "" {
			continue
		}
		shown, err := t.probe(on, object("role", "assistant", "content", thought+mark+said),
			object("role", "user", "content", asked))
		if err == nil && strings.Contains(shown, said) && !strings.Contains(shown, thought) {
			return Marks{Open: mirrored(mark, t.source), Close: mark}, true
		}
	}
	return Marks{}, false
}

// TurnEnd is the mark with which the assistant's turns end; empty where they end in none.
func (t *Template) TurnEnd() string {
	text, err := t.probe(nil, object("role", "assistant", "content", said), object("role", "user", "content", asked))
	if err != nil {
		return ""
	}
	_, behind, _ := strings.Cut(text, said)
	return turnMark.FindString(strings.TrimSpace(behind))
}

var turnMark = regexp.MustCompile(`^(<[^<>\s]+>|\[[^\[\]\s]+\])`)

// answers looks for the mark with which every answer begins, at the end of what stands behind a thought: ending is what
// is before it, header what a turn without a thought has before it. Both are empty where there is none.
func answers(behind, plain, head string) (ending, header string) {
	for at := len(behind) - 1; at > 0; at-- {
		if behind[at] != '<' && behind[at] != '[' {
			continue
		}
		before, begins := strings.CutSuffix(plain, behind[at:])
		if begins && strings.HasPrefix(head, before) && strings.TrimSpace(behind[:at]) != "" {
			return behind[:at], before
		}
	}
	return "", ""
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// mirrored is the opening mark to a closing one, as a text has it; empty for none.
func mirrored(closing, text string) string {
	for _, pair := range [][2]string{{"/", ""}, {"END", "START"}, {"END", "BEGIN"}, {"end", "start"}, {"end", "begin"},
		{"close", "open"},
		{"suffix", "prefix"}} {
		if opening := strings.Replace(closing, pair[0], pair[1], 1); opening != closing && strings.Contains(text, opening) {
			return opening
		}
	}
	return ""
}
