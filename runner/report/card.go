package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"proctor/prompts/task"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// modelIndex is the part of a model card's metadata that has evaluations, as the Hugging Face hub reads it
// (https://github.com/huggingface/hub-docs/blob/main/modelcard.md).
type modelIndex struct {
	Models []*indexedModel `yaml:"model-index"`
}

type indexedModel struct {
	Name    string          `yaml:"name"`
	Results []indexedResult `yaml:"results"`
}

type indexedResult struct {
	Task struct {
		Type string `yaml:"type"` // one of the hub's
		Name string `yaml:"name"`
	} `yaml:"task"`
	Dataset indexedDataset  `yaml:"dataset"`
	Metrics []indexedMetric `yaml:"metrics"`
}

type indexedDataset struct {
	Type  string         `yaml:"type"` // its name at the hub, where it has one there
	Name  string         `yaml:"name"`
	Split string         `yaml:"split,omitempty"`
	Args  map[string]any `yaml:"args,omitempty"`
}

type indexedMetric struct {
	Type  string  `yaml:"type"`
	Value float64 `yaml:"value"` // shares in percent
	Name  string  `yaml:"name"`
}

// A cardFigure is one that a card has of a run.
type cardFigure struct {
	kind, name string
	combine.Figure
}

// shown is a value as cards have it, and a bound or a baseline beside it.
func (f cardFigure) shown(n stats.Number) string {
	if f.Plain {
		return format.Plain(n)
	}
	return format.Percent(n)
}

func (f cardFigure) bounds() string {
	if f.Plain {
		return format.PlainBounds(f.CI)
	}
	return format.Bounds(f.CI)
}

// cardFigures are the headline and what it does not tell.
func (r document) cardFigures() []cardFigure {
	var all []cardFigure
	add := func(kind, name string, f combine.Figure) {
		if f.Value.Defined() {
			all = append(all, cardFigure{kind, name, f})
		}
	}
	h := r.Headline
	add(h.Name, r.headline(spelled(h.Name)), combine.Figure{Value: h.Value, CI: h.CI, Baseline: h.Baseline, Over: r.counted()})
	switch {
	case r.Binary != nil:
		b := r.Binary
		add("matthews_correlation", "MCC"+r.part(), combine.Figure{Value: b.MCC, CI: b.MCCCI, Baseline: stats.Of(0), Over: r.Questions, Plain: true})
		add("question_exact", "whole question right"+r.part(), combine.Figure{Value: b.Exact, CI: b.ExactCI, Baseline: b.ExactChance,
			Over: b.QuestionsComplete})
	case r.Circular != nil:
		c := r.Circular
		add("question_mean", "question mean"+r.part(), combine.Figure{Value: c.QuestionMean, CI: c.QuestionMeanCI, Baseline: c.QuestionMeanGuess,
			Over: r.Questions})
	}
	return all
}

// indexed is what the metadata has of a run.
func (r document) indexed() indexedResult {
	var result indexedResult
	result.Task.Type, result.Task.Name = "text-generation", page.Visible(r.benchmark())
	data := r.Run.Dataset
	result.Dataset = indexedDataset{
		Type: page.Visible(data.Name), Name: page.Visible(task.Task{}.Title(data.Title())), Split: page.Visible(data.Split),
		Args: map[string]any{"questions": r.counted(), "style": page.Visible(r.Run.Style)},
	}
	if name := data.PublishedAs(); name != "" {
		result.Dataset.Type = name
	}
	if r.Run.Shots >= 0 {
		result.Dataset.Args["num_few_shot"] = r.Run.Shots
	}
	for _, f := range r.cardFigures() {
		name := f.name + " (" + r.confidence() + " " + f.bounds()
		if f.Baseline.Defined() {
			name += "; guessing " + f.shown(f.Baseline)
		}
		digits, _, _ := strings.Cut(f.shown(f.Value), " ") // those that people see
		value, _ := strconv.ParseFloat(digits, 64)
		result.Metrics = append(result.Metrics, indexedMetric{Type: f.kind, Value: value, Name: name + ")"})
	}
	return result
}

// cardName is how a card names the model.
func (r document) cardName() string {
	return page.Visible(strings.TrimSpace(r.modelName() + " " + r.Model.Quantization))
}

// writeCard writes runs for the cards of their models: metadata for the hub, and tables in markdown to paste. Without a valid score
// there is no metadata, which has to have one.
func writeCard(w io.Writer, reports ...*metrics.Summary) error {
	var index modelIndex
	p := page.Page{}
	scores := page.Section{Title: "Evaluation"}
	var subjects []page.Section
	byName := map[string]*indexedModel{}
	for _, s := range reports {
		r := documentOf(s)
		for _, warning := range r.About(metrics.AboutRun) {
			if !slices.Contains(scores.Warnings, warning) {
				scores.Warnings = append(scores.Warnings, warning)
			}
		}
		if p.Alert == "" {
			p.Alert = r.Validity.String()
		}
		r.addScores(&scores)
		scores.Notes = append(scores.Notes, r.cardNote())
		subjects = append(subjects, r.cardSubjects())
		result := r.indexed()
		if len(result.Metrics) == 0 || !r.Validity.Valid {
			continue
		}
		model := byName[r.cardName()]
		if model == nil {
			model = &indexedModel{Name: r.cardName()}
			byName[model.Name] = model
			index.Models = append(index.Models, model)
		}
		model.Results = append(model.Results, result)
	}
	if len(index.Models) > 0 {
		metadata, err := yaml.Dump(index, yaml.WithIndent(2))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "---\n%s---\n", metadata); err != nil {
			return err
		}
	}
	p.Add(scores)
	for _, section := range subjects {
		if section.Table != nil {
			p.Add(section)
		}
	}
	return p.Markdown(w)
}

// addScores adds the run's figures to a card's table.
func (r document) addScores(s *page.Section) {
	if s.Table == nil {
		s.Table = &page.Grid{Head: []string{"model", "benchmark", "questions", "score", "", "interval", "guessing"}}
	}
	for _, f := range r.cardFigures() {
		s.Table.Add(r.cardName(), r.benchmark(), format.Count(f.Over), f.name, f.shown(f.Value), f.bounds(),
			f.shown(f.Baseline))
	}
}

// cardNote says what the run's figures are of.
func (r document) cardNote() string {
	parts := []string{r.confidence() + " of " + format.Several(r.counted(), "question"), r.askedWith(), "marked by " + r.markedBy()}
	if r.Model.FileSHA256 != "" {
		parts = append(parts, "model's "+shortSum(r.Model.FileSHA256))
	}
	if r.Run.ToolVersion != "" {
		parts = append(parts, "proctor "+r.Run.ToolVersion)
	}
	return r.benchmark() + r.part() + ": " + strings.Join(append(parts, r.Run.Created), ", ") + "."
}

// cardSubjects are the subjects' scores.
func (r document) cardSubjects() page.Section {
	s := page.Section{Title: strings.Join(strings.Fields(r.title()), " ")} // a model's name may have lines
	if len(r.Subjects) < 2 {
		return s
	}
	own, _ := task.Lookup(r.Task)
	s.Table = &page.Grid{Head: []string{"subject", "items", spelled(r.Headline.Name), r.confidence()}}
	for _, subject := range r.Subjects {
		value, interval, _ := headlineOf(own, subject.Figures)
		s.Table.Add(subject.Subject, format.Count(subject.Figures.Scored()), format.Percent(value), format.Bounds(interval))
	}
	return s
}
