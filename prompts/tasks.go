package prompts

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Published are the styles of other harnesses' tasks that ask MMLU-Pro otherwise than [Styles] do, each for itself.
var Published = builtIn("opencompass@1", "lm-eval-llama@1", "leaderboard-direct@1")

// MMLU-ProX is MMLU-Pro in other languages. lm-evaluation-harness asks all of them in one layout, with a language's words for it.
const (
	proxName    = "mmlu-prox-"
	proxVersion = "@1"
)

//go:embed styles/mmlu-prox.json
var proxFile []byte

// proxSubjects are those of MMLU-Pro, in the order in which a language has its words for them.
var proxSubjects = []string{"biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law",
	"math", "other", "philosophy", "physics", "psychology"}

// A wording is what a language has in the places of the layout.
type wording struct {
	Question    string   `json:"question"`
	Options     string   `json:"options"`
	LeadIn      string   `json:"lead_in"`
	Opening     string   `json:"opening"`     // of the set's reasoning, in whose place a shot has LeadIn
	Instruction string   `json:"instruction"` // with {subject} for the subject's name
	Subjects    []string `json:"subjects"`    // names of proxSubjects
}

// wordings are those of all languages, by their two letters.
var wordings = sync.OnceValue(func() (all map[string]wording) {
	if err := json.Unmarshal(proxFile, &all); err != nil {
		panic(err)
	}
	return all
})

// ProxLanguages are the languages that there is a style mmlu-prox-LANGUAGE for.
func ProxLanguages() []string { return slices.Sorted(maps.Keys(wordings())) }

// proxStyle is the style of a language of MMLU-ProX, if name is one's.
func proxStyle(name string) (Style, bool) {
	code, ok := strings.CutPrefix(strings.TrimSuffix(name, proxVersion), proxName)
	if !ok {
		return Style{}, false
	}
	w, known := wordings()[code]
	if !known {
		return Style{}, false
	}
	s, err := parseStyle(name, w.style(proxName+code))
	if err != nil {
		panic(err)
	}
	s.BuiltIn = true
	return s, true
}

// style is the text of a language's style.
func (w wording) style(name string) string {
	var subject strings.Builder
	for i, english := range proxSubjects {
		fmt.Fprintf(&subject, "%s .Subject %q}}%s{{else ", []string{"{{if eq", "if eq"}[min(i, 1)], english, w.Subjects[i])
	}
	named := strings.TrimSuffix(subject.String(), "{{else ") + "{{else}}{{.Subject}}{{end}}"
	ask := w.Question + "\n{{.Question}}\n" + w.Options + "\n{{range .Options}}{{.Letter}}. {{.Text}}\n{{end}}\n"
	return "style: " + name + proxVersion + "\nsummary: lm-evaluation-harness, mmlu_prox version 0.0, in " +
		strings.TrimPrefix(name, proxName) + "\nitems: questions\nfiller: keep\nrules: " + name + "\n" +
		"stop: \"</s>\"\nstop: \"Q:\"\nstop: " + strconv.Quote(w.Question) + "\nstop: \"<|im_end|>\"\n" +
		"-- instruction --\n" + strings.ReplaceAll(w.Instruction, "{subject}", named) + "\n\n" +
		"-- shot --\n" + ask +
		"-- shot-answer --\n{{replace " + strconv.Quote(w.Opening) + " " + strconv.Quote(w.LeadIn) + " .CoT}}\n\n\n" +
		"-- question --\n" + ask +
		"-- lead-in --\n" + w.LeadIn + "\n"
}
