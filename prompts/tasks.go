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
var Published = builtIn("opencompass@1", "lm-eval-llama@1", "leaderboard-direct@1", "binary-nvidia@1")

// MMLU-ProX is MMLU-Pro in other languages. lm-evaluation-harness asks all of them in one layout, with a language's words for it in the
// places of the names in braces.
var (
	//go:embed styles/mmlu-prox.txt
	proxLayout string
	//go:embed styles/mmlu-prox.json
	proxFile []byte
)

const proxName = "mmlu-prox-"

// proxSubjects are those of MMLU-Pro, in the order in which a language has its words for them.
var proxSubjects = []string{"biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law",
	"math", "other", "philosophy", "physics", "psychology"}

// A wording holds a language's words for the places of the layout.
type wording struct {
	Question    string   `json:"question"`
	Options     string   `json:"options"`
	LeadIn      string   `json:"lead_in"`
	Opening     string   `json:"opening"`     // of the set's reasoning, in whose place a shot has LeadIn
	Instruction string   `json:"instruction"` // with {subject} for the subject's name
	Subjects    []string `json:"subjects"`    // names of proxSubjects
}

// wordings are the words of each language, by its two-letter code.
var wordings = sync.OnceValue(func() (all map[string]wording) {
	if err := json.Unmarshal(proxFile, &all); err != nil {
		panic(err)
	}
	return all
})

// ProxLanguages are the languages that there is a style mmlu-prox-LANGUAGE for.
func ProxLanguages() []string { return slices.Sorted(maps.Keys(wordings())) }

// proxStyle returns the style of a language of MMLU-ProX, if name is the name of one.
func proxStyle(name string) (Style, bool) {
	code, ok := strings.CutPrefix(strings.TrimSuffix(name, "@1"), proxName)
	w, known := wordings()[code]
	if !ok || !known {
		return Style{}, false
	}
	s, err := parseStyle(name, w.style(code))
	if err != nil {
		panic(err)
	}
	s.BuiltIn = true
	return s, true
}

// style is the text of a language's style.
func (w wording) style(code string) string {
	var subject strings.Builder
	for i, english := range proxSubjects {
		fmt.Fprintf(&subject, "%s .Subject %q}}%s{{else ", []string{"{{if eq", "if eq"}[min(i, 1)], english, w.Subjects[i])
	}
	named := strings.TrimSuffix(subject.String(), "{{else ") + "{{else}}{{.Subject}}{{end}}"
	return strings.NewReplacer("{name}", proxName+code, "{code}", code, "{question}", w.Question, "{stop}", strconv.Quote(w.Question),
		"{options}", w.Options, "{instruction}", strings.ReplaceAll(w.Instruction, "{subject}", named), "{lead in}", w.LeadIn,
		"{lead in, quoted}", strconv.Quote(w.LeadIn), "{opening}", strconv.Quote(w.Opening)).Replace(proxLayout)
}
