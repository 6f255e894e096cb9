package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// title names the run's document: the benchmark, the model, how many questions.
func (r document) title() string {
	t, _ := task.Lookup(r.Task)
	questions := format.Several(r.Questions, "question")
	if r.Items != r.Questions {
		questions += ", " + format.Several(r.Items, "item")
	}
	return strings.Join([]string{t.Title(r.Run.Dataset.Title()) + r.part(), r.Model.Title(), questions}, " · ")
}

// runSection describes the run: its settings, model, engine and machine.
func (r document) runSection() page.Section {
	s := page.Section{Title: "Run"}
	add := func(name string, parts ...string) {
		if text := joined(parts); text != "" {
			s.Facts.Add(name, text, "")
		}
	}
	add("model", r.Model.Title(), r.Model.Architecture, when(r.Model.Parameters > 0, "%s parameters", backends.SizeLabel(r.Model.Parameters)),
		when(r.Model.BitsPerWeight > 0, "%.2f bits a weight", r.Model.BitsPerWeight), format.Size(r.Model.SizeBytes, ""))
	add("tensors", format.List(r.Model.TensorTypes, func(t backends.TensorType) string {
		return fmt.Sprintf("%s in %s (%s)", t.Type, format.Count(t.Tensors), format.Size(t.Bytes, ""))
	}))
	add("fell back", r.Model.FellBack)
	add("given as", r.Model.Ref, shortSum(r.Model.FileSHA256))
	b := r.Backend
	add("backend", strings.TrimSpace(b.Name+" "+b.Version), when(b.Slots > 0, "%s", format.Several(b.Slots, "slot")),
		when(b.Threads > 0, "%s", format.Several(b.Threads, "thread")),
		when(b.KVType != "", "%s cache%s", b.KVType, when(b.KVRotated, " (rotated)")),
		when(b.FlashAttention, "flash attention"), computes(b),
		when(b.Context > 0, "context %s", format.Count(b.Context)), when(len(b.ExtraBody) > 0, "extra body %s", b.ExtraBody))
	add("texts", slotsMatter(b))
	add("built with", b.Features)
	host := r.Run.Host
	add("machine", host.CPU, when(host.Cores > 0, "%s", format.Several(host.Cores, "core")), format.Size(host.MemoryBytes, ""),
		strings.Join(host.GPUs, ", "), strings.Trim(host.OS+"/"+host.Arch, "/"))
	data := r.Run.Dataset
	add("data", data.Name, when(data.Split != "", "split %s", data.Split),
		when(data.Rows > 0, "%s", format.Several(data.Rows, "row")), shortSum(data.SHA256),
		when(data.Map != "", "columns %s", data.Map))
	add("asked", r.selection()...)
	add("prompt", r.prompt()...)
	add("sampling", r.sampling(), when(r.Run.Sampling.MaxTokens > 0, "at most %s tokens", format.Count(r.Run.Sampling.MaxTokens)))
	add("system", when(r.Run.System != "", "%.60q", r.Run.System))
	add("marked by", r.markedBy())
	add("made", r.Run.Created.Format(time.RFC3339), when(r.Run.ToolVersion != "", "proctor %s", r.Run.ToolVersion))
	for _, note := range r.Run.Notes {
		add("note", note)
	}
	return s
}

// joined joins the parts that are not empty.
func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// prompt says how the questions were put.
func (r document) prompt() []string {
	return []string{
		r.Run.Style, when(r.Run.StyleSHA256 != "", "a file, %s", shortSum(r.Run.StyleSHA256)), shots(r.Run.Shots),
		promptMode(r.Run.PromptMode),
		when(r.Run.Think != "", "thinking %s", r.Run.Think),
		when(r.Run.TemplateSHA256 != "", "chat template a file, %s", shortSum(r.Run.TemplateSHA256)),
		when(len(r.Run.TemplateArguments) > 0, "template variables %s", r.Run.TemplateArguments),
		when(r.Run.Effort != "", "reasoning effort %s", r.Run.Effort), r.closing(),
	}
}

// markedBy names the rule set of the headline.
func (r document) markedBy() string {
	return r.RuleSet + when(r.RulesSHA256 != "", ", a file, %s", shortSum(r.RulesSHA256))
}

// computes names what computed: GPUs, and a CPU's kernels unless all layers were on GPUs.
func computes(b backends.EngineInfo) string {
	switch gpus, rest := b.GPUs(), kernels(b); {
	case b.Offloaded:
		return "all layers on " + gpus
	case gpus != "":
		return fmt.Sprintf("%s on %s", format.Several(b.GPULayers, "layer"), gpus) + when(rest != "", ", the others with %s", rest)
	default:
		return rest
	}
}

// kernels names the kernels that computed on the CPU, and their levels, if known.
func kernels(b backends.EngineInfo) string {
	switch {
	case b.Kernels == "":
		return ""
	case b.KernelsBecause != "":
		return b.Kernels + "'s kernels, because " + b.KernelsBecause
	case b.KernelLevel == "":
		return b.Kernels + "'s kernels"
	case b.LevelForced:
		return b.Kernels + "'s kernels (" + b.KernelLevel + ": forced)"
	}
	return b.Kernels + "'s kernels (" + b.KernelLevel + ": chosen by the CPU" + when(b.Multiplying != "", "; products: %s", b.Multiplying) + ")"
}

// slotsMatter says whether texts depend on the number of slots; empty if that is unknown.
func slotsMatter(b backends.EngineInfo) string {
	switch by := b.Unsteady(); {
	case by != "":
		return "they depend on the number of slots: with " + by + ", sums are rounded otherwise beside other tokens"
	case b.Kernels != "" && !b.Loaded:
		return "they do not depend on the number of slots"
	}
	return ""
}

func (r document) selection() []string {
	selection := r.Run.Selection
	decided := ""
	if u := selection.UntilDecided; u != nil {
		decided = fmt.Sprintf("until it is decided beside %s with a margin of %s", u.Run, format.Points(stats.Of(u.Margin), 2))
	}
	return []string{
		format.Several(r.Questions, "question"), r.drawing(), when(r.Pattern != "", "pattern %s", r.Pattern),
		when(r.Run.Repeats > 1, "every item %d times", r.Run.Repeats),
		decided, chosen(selection.Chosen), when(len(selection.Subjects) > 0, "only %s", strings.Join(selection.Subjects, ", ")),
	}
}

// drawing says how the questions were drawn from the set; empty if all were asked.
func (r document) drawing() string {
	switch selection := r.Run.Selection; {
	case selection.PerSubject > 0 && selection.First:
		return fmt.Sprintf("the first %s of each subject", format.Count(selection.PerSubject))
	case selection.Share > 0 && selection.First:
		return "the first " + format.Percent(stats.Of(selection.Share)) + " of each subject"
	case selection.Limit > 0 && selection.First:
		return "the first " + format.Count(selection.Limit)
	case selection.Limit > 0 || selection.StopsItself():
		return fmt.Sprintf("drawn by subject with seed %d", selection.Seed)
	}
	return ""
}

// chosen words a list of questions that were named one by one.
func chosen(all []string) string {
	if n := len(all); n > 5 {
		return fmt.Sprintf("chosen by %s: no draw of the set", format.Several(n, "id or range"))
	}
	return when(len(all) > 0, "chosen (%s): no draw of the set", strings.Join(all, ", "))
}

func (r document) sampling() string {
	s := r.Run.Sampling
	not, how, lacks := r.Run.NotTaken, "greedy", ", but the server takes no "
	switch {
	case r.isDirect():
		return "nothing generated: the letters' probabilities behind the prompt"
	case slices.Contains(not, "temperature"):
		how, lacks = "as the server draws", ": it takes no "
	case s.Temperature != 0:
		how = fmt.Sprintf("temperature %g", s.Temperature) + when(!slices.Contains(not, "seed"), ", seed %d", s.Seed)
	}
	for part := range s.Parts() {
		how += when(part.Set && !slices.Contains(not, part.Name), ", %s", part)
	}
	if from := slices.Sorted(maps.Values(s.From)); len(from) > 0 {
		how += ", from " + strings.Join(slices.Compact(from), " and ")
	}
	return how + when(len(not) > 0, "%s%s", lacks, strings.Join(not, ", "))
}

// when is the formatted text if the condition holds, else empty.
func when(holds bool, format string, values ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, values...)
}

// shortSum is enough of a checksum to tell files apart.
func shortSum(sha256 string) string {
	if len(sha256) < 12 {
		return sha256
	}
	return "sha256 " + sha256[:12] + "…"
}

// shots words the number of shots, which an imported log may not say.
func shots(n int) string {
	if n < 0 {
		return "an unknown number of shots"
	}
	return format.Several(n, "shot")
}

// promptMode words the form of the prompts: chat or raw.
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

// isDirect says whether nothing was generated.
func (r document) isDirect() bool {
	t, _ := task.Lookup(r.Task)
	return t.Direct
}

// closing says where thinking was ended.
func (r document) closing() string {
	if len(r.Run.Budgets) == 0 {
		return ""
	}
	return "closed at " + format.Several(r.Run.Budgets[len(r.Run.Budgets)-1], "token")
}
