package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"proctor/backends"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/letters"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/options"
	"proctor/runner/report/page"
)

// A document is a run's figures, to be laid out.
type document struct {
	*metrics.Summary
	methods *[]string // of the intervals that were told so far, for the footnote; nil where the page has none
}

func documentOf(s *metrics.Summary) document { return document{s, &[]string{}} }

// fullPage has everything.
func fullPage(s *metrics.Summary) page.Page {
	r := documentOf(s)
	p := page.Page{Alert: r.Validity.String(), Title: r.title(), Notices: r.About(metrics.AboutRun)}
	p.Add(r.runSection(), r.resultSection(), r.directSection(), r.circularSection(), r.sequentialSection())
	if r.Binary != nil {
		p.Add(options.Section(r.Binary.ByOption, r.Confidence))
	}
	p.Add(r.repeatSections()...)
	p.Add(r.thinkingSections()...)
	p.Add(r.subjectSection(), r.failureSection(), r.ruleSection(), r.letterSection(), r.optionSection(), r.lengthSection(),
		r.speedSection(), r.costSection())
	p.Footnotes = r.methodNotes()
	return p
}

func (r document) title() string {
	parts := []string{r.benchmark() + r.part(), r.modelName()}
	if r.Model.Quantization != "" {
		parts[1] += " " + r.Model.Quantization
	}
	questions := format.Several(r.Questions, "question")
	if r.Items != r.Questions {
		questions += ", " + format.Several(r.Items, "item")
	}
	return strings.Join(append(parts, questions), " · ")
}

// benchmark is the task's title.
func (r document) benchmark() string {
	t, _ := task.Lookup(r.Task)
	return t.Title(r.Run.Dataset.Title())
}

func (r document) modelName() string {
	if r.Model.Name != "" {
		return r.Model.Name
	}
	return r.Model.Ref
}

// tensorTypes are the types that the model's tensors have.
func (r document) tensorTypes() []string {
	var all []string
	for _, t := range r.Model.TensorTypes {
		all = append(all, fmt.Sprintf("%s in %s (%s)", t.Type, format.Count(t.Tensors), format.Size(t.Bytes, "")))
	}
	return all
}

func (r document) runSection() page.Section {
	s := page.Section{Title: "Run"}
	add := func(name string, parts ...string) {
		if text := joined(parts); text != "" {
			s.Facts.Add(name, text, "")
		}
	}
	add("model", r.modelName(), r.Model.Architecture, parameters(r.Model.Parameters), r.Model.Quantization,
		when(r.Model.BitsPerWeight > 0, "%.2f bits a weight", r.Model.BitsPerWeight), format.Size(r.Model.SizeBytes, ""))
	add("tensors", r.tensorTypes()...)
	add("given as", r.Model.Ref, short(r.Model.FileSHA256))
	b := r.Backend
	add("backend", strings.TrimSpace(b.Name+" "+b.Version), when(b.Slots > 0, "%s", format.Several(b.Slots, "slot")),
		when(b.Threads > 0, "%s", format.Several(b.Threads, "thread")),
		when(b.GPULayers > 0, "%s on %s", format.Several(b.GPULayers, "layer"), cmp.Or(strings.Join(b.Devices, " and "), "the GPU")),
		when(b.KVType != "", "%s cache", b.KVType),
		when(b.FlashAttention, "flash attention"), computes(b),
		when(b.Context > 0, "context %s", format.Count(b.Context)), when(len(b.ExtraBody) > 0, "extra body %s", b.ExtraBody))
	add("built with", b.Features)
	host := r.Run.Host
	add("machine", host.CPU, when(host.Cores > 0, "%s", format.Several(host.Cores, "core")), format.Size(host.MemoryBytes, ""),
		strings.Join(host.GPUs, ", "), strings.Trim(host.OS+"/"+host.Arch, "/"))
	data := r.Run.Dataset
	add("data", data.Name, when(data.Split != "", "split %s", data.Split),
		when(data.Rows > 0, "%s", format.Several(data.Rows, "row")), short(data.SHA256),
		when(data.Map != "", "columns %s", data.Map))
	add("asked", r.asked()...)
	add("prompt", r.prompt()...)
	add("sampling", r.sampling(), when(r.Run.Sampling.MaxTokens > 0, "at most %s tokens", format.Count(r.Run.Sampling.MaxTokens)),
		when(r.Run.Sampling.StopAtAnswer != "", "ended at the answer that %s finds", r.Run.Sampling.StopAtAnswer))
	add("system", when(r.Run.System != "", "%.60q", r.Run.System))
	add("marked by", r.markedBy())
	add("made", r.Run.Created, when(r.Run.ToolVersion != "", "proctor %s", r.Run.ToolVersion))
	for _, note := range r.Run.Notes {
		add("note", note)
	}
	return s
}

// joined is a list of what there is to say.
func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

func (r document) prompt() []string {
	return []string{
		r.Run.Style, when(r.Run.StyleSHA256 != "", "a file, %s", short(r.Run.StyleSHA256)), shots(r.Run.Shots),
		when(r.Run.ShotIDs != nil, "drawn at random"), when(r.Run.Shuffle != nil, "options shuffled"), promptMode(r.Run.PromptMode),
		when(r.Run.Filler > 0, "behind %s of other text", format.Several(r.Run.Filler, "token")),
		when(r.Run.Think != "", "thinking %s", r.Run.Think),
		when(r.Run.TemplateSHA256 != "", "chat template a file, %s", short(r.Run.TemplateSHA256)),
		when(len(r.Run.TemplateArgs) > 0, "template variables %s", r.Run.TemplateArgs),
		when(r.Run.Effort != "", "reasoning effort %s", r.Run.Effort), r.closing(),
	}
}

func (r document) markedBy() string {
	return r.RuleSet + when(r.RulesSHA256 != "", ", a file, %s", short(r.RulesSHA256))
}

// computes names the kernels that computed, and what with, where that is known.
func computes(b backends.EngineInfo) string {
	switch {
	case b.Kernels == "":
		return ""
	case b.Kernels == b.KernelLevel: // a level of its own, that was asked for
		return b.Kernels + ", proctor's kernels with other bits than at the other levels"
	case b.KernelsBecause != "":
		return b.Kernels + "'s kernels, because " + b.KernelsBecause
	case b.KernelLevel == "":
		return b.Kernels + "'s kernels"
	case b.LevelForced:
		return b.Kernels + "'s kernels (" + b.KernelLevel + ": forced)"
	}
	return b.Kernels + "'s kernels (" + b.KernelLevel + ": chosen by the CPU)"
}

func (r document) asked() []string {
	selection := r.Run.Selection
	parts := []string{format.Several(r.Questions, "question")}
	switch {
	case selection.Limit > 0 && selection.First:
		parts = append(parts, fmt.Sprintf("the first %s", format.Count(selection.Limit)))
	case selection.StratumSizes() != nil:
		parts = append(parts, fmt.Sprintf("drawn in strata with seed %d", selection.Seed))
	case selection.Limit > 0 || selection.StopsItself():
		parts = append(parts, fmt.Sprintf("drawn by subject with seed %d", selection.Seed))
	}
	if r.Pattern != "" {
		parts = append(parts, "pattern "+r.Pattern)
	}
	parts = append(parts, when(r.Run.MaxPatterns > 0, "at most %d orders of a question, drawn", r.Run.MaxPatterns),
		when(r.Run.Balance, "two options of each question (balance): the gold one and one other"))
	if r.Run.Repeats > 1 {
		parts = append(parts, fmt.Sprintf("every item %d times", r.Run.Repeats))
	}
	if selection.UntilHalfWidth > 0 {
		parts = append(parts, "until the interval is no wider than ± "+format.Points(stats.Of(selection.UntilHalfWidth), 2))
	}
	if u := selection.UntilDecided; u != nil {
		parts = append(parts, fmt.Sprintf("until it is decided beside %s with a margin of %s", u.Run, format.Points(stats.Of(u.Margin), 2)))
	}
	if n := len(selection.Chosen); n > 5 {
		parts = append(parts, fmt.Sprintf("chosen by %s: no draw of the set", format.Several(n, "id or range")))
	} else if n > 0 {
		parts = append(parts, "chosen ("+strings.Join(selection.Chosen, ", ")+"): no draw of the set")
	}
	if len(selection.Subjects) > 0 {
		parts = append(parts, "only "+strings.Join(selection.Subjects, ", "))
	}
	return parts
}

func (r document) sampling() string {
	s := r.Run.Sampling
	how := "greedy"
	if r.isDirect() {
		return "nothing generated: the letters' probabilities behind the prompt"
	}
	if s.Temperature != 0 {
		how = fmt.Sprintf("temperature %g, top-k %d, top-p %g, min-p %g, seed %d", s.Temperature, s.TopK, s.TopP, s.MinP, s.Seed)
	}
	if s.Penalises() {
		how += fmt.Sprintf(", penalties: repeat %g, presence %g, frequency %g", cmp.Or(s.RepeatPenalty, 1), s.PresencePenalty,
			s.FrequencyPenalty)
	}
	return how
}

// when is the formatted text, or nothing where there is nothing to say.
func when(holds bool, format string, values ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, values...)
}

func parameters(n int64) string {
	if n <= 0 {
		return ""
	}
	value, prefix := humanize.ComputeSI(float64(n))
	if prefix == "G" {
		prefix = "B"
	}
	return strings.TrimSpace(fmt.Sprintf("%.3g %s", value, prefix)) + " parameters"
}

// short is enough of a checksum to tell files apart.
func short(sha256 string) string {
	if len(sha256) < 12 {
		return sha256
	}
	return "sha256 " + sha256[:12] + "…"
}

func (r document) confidence() string { return format.Confidence(r.Confidence) }

// interval is a figure's interval for people, with a mark for its method.
func (r document) interval(i stats.Interval) string { return r.marked(i, format.Bounds(i)) }

func (r document) marked(i stats.Interval, bounds string) string {
	if i.IsZero() {
		return r.confidence() + " " + format.NoInterval(i)
	}
	return r.confidence() + r.method(i) + " " + bounds
}

// intervalOf is an interval of what is no share, with the same mark.
func (r document) intervalOf(i stats.Interval, bounds func(stats.Interval) string) string {
	if i.IsZero() {
		return r.confidence() + " " + format.Undefined + ": " + format.TooFew + " questions, or all alike"
	}
	return r.confidence() + r.method(i) + " " + bounds(i)
}

// method is the mark of the footnote that names an interval's method.
func (r document) method(i stats.Interval) string {
	if r.methods == nil {
		return ""
	}
	method := format.Method(i)
	at := slices.Index(*r.methods, method)
	if at < 0 {
		at = len(*r.methods)
		*r.methods = append(*r.methods, method)
	}
	return superscript(at + 1)
}

// methodNotes are the footnotes of all marks.
func (r document) methodNotes() []string {
	var notes []string
	for i, method := range *r.methods {
		notes = append(notes, superscript(i+1)+" interval: "+method)
	}
	return notes
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var text string
	for _, digit := range strconv.Itoa(n) {
		text += string(digits[digit-'0'])
	}
	return text
}

// failureSection tells what failed, and what did not.
func (r document) failureSection() page.Section {
	s := page.Section{Title: "Failures", Table: &page.Grid{Head: []string{"", "items", "share"}}}
	add := func(name string, n int) { s.Table.Add(name, format.Count(n), format.Percent(stats.Ratio(n, r.Items))) }
	for _, tag := range grade.Tags {
		add(grade.InWords(string(tag)), r.FailureCounts[string(tag)])
	}
	for _, cause := range slices.Sorted(maps.Keys(r.Causes)) {
		add("  because: "+grade.InWords(cause), r.Causes[cause])
	}
	add("stopped by --max-tokens, whatever the mark", r.CapHits)
	for _, warning := range r.About(metrics.AboutFailures) {
		s.Notes = append(s.Notes, "! "+warning)
	}
	if len(r.About(metrics.AboutFailures)) > 0 {
		s.Notes = append(s.Notes, "`proctor show RUN ID` shows an item, `proctor report RUN --items --where tag=TAG` lists them")
	}
	return s
}

func (r document) letterSection() page.Section {
	s := page.Section{Title: "Letters"}
	if len(r.Letters.Counts) == 0 {
		return s
	}
	s.Table = &page.Grid{Head: []string{"letter", "gold", "share", "picked", "share", "right when gold"}}
	for _, l := range r.Letters.Counts {
		s.Table.Add(l.Letter, format.Count(l.Gold), format.Percent(l.GoldShare), format.Count(l.Picked), format.Percent(l.PickedShare),
			format.Percent(l.Recall))
	}
	if l, over := letters.TakesOver(r.Letters.Counts); over {
		s.Warnings = []string{fmt.Sprintf("%s was picked for %s of the answered items; it is the right letter of %s", l.Letter,
			format.Percent(l.PickedShare), format.Percent(l.GoldShare))}
	}
	if r.Letters.ChiSquare.Defined() {
		s.Notes = []string{fmt.Sprintf("wrong answers by letter, against an even spread: χ² = %s with %d degrees of freedom, %s",
			format.Decimal(r.Letters.ChiSquare, 1, 2, ""), r.Letters.DF, format.Probability(r.Letters.PValue))}
	}
	return s
}

// shots words how many there were; an imported log may not say.
func shots(n int) string {
	if n < 0 {
		return "an unknown number of shots"
	}
	return format.Several(n, "shot")
}

// promptMode words in which form the model got the text.
func promptMode(mode string) string {
	switch mode {
	case "raw":
		return "raw prompt"
	case "chat":
		return "chat prompt in one user turn"
	case "turns":
		return "chat prompt with the shots in turns"
	}
	return mode
}
