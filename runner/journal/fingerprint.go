package journal

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"proctor/backends"
)

// A FieldDiff is one field in which two headers differ.
type FieldDiff struct {
	Field  string // as in the file, such as sampling.max_tokens
	Ours   string // the value in the header whose method was called
	Theirs string // the value in the other one
}

// An Aspect is what a setting of a run decides.
type Aspect int

// The aspects.
const (
	OfQuestions Aspect = iota // what is asked, and in which layout
	OfPrompts                 // how it is asked: the words around it, and how tokens are drawn
	OfTemplate                // how it is asked where the model's chat template decides that, unless people do
	OfModel
	OfEngine
	OfItems   // which questions are asked, with what follows from that
	OfDraw    // what chose them
	OfMarks   // how answers are marked
	OfJournal // what of the run its journal keeps
)

// fingerprinted are the aspects in the fingerprint: all that decides prompts and completions.
var fingerprinted = []Aspect{OfQuestions, OfPrompts, OfTemplate, OfModel, OfEngine, OfItems}

// Digest computes the header's fingerprint, lower-case hex; [Header.settings] has what goes into it.
func (h *Header) Digest() string { return h.digest(fingerprinted) }

// DigestSettings is the fingerprint without the choice of questions: an extended run keeps it.
func (h *Header) DigestSettings() string {
	return h.digest(slices.DeleteFunc(slices.Clone(fingerprinted), func(a Aspect) bool { return a == OfItems }))
}

func (h *Header) digest(aspects []Aspect) string {
	sum := sha256.New()
	for _, f := range h.settings(aspects) {
		fmt.Fprintf(sum, "%q %q\n", f.name, f.value)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// Differs lists the settings in some aspects in which two headers differ, in the file's order; without aspects, those
// of the fingerprint, and where the ids differ, the settings that chose them. Builds for other instruction sets count
// where ggml's kernels compute anything, if only attention: the order of their sums depends on the CPU's vector length.
// Proctor's own kernels compute the same bits in every build.
func (h *Header) Differs(other *Header, aspects ...Aspect) []FieldDiff {
	if len(aspects) == 0 {
		aspects = fingerprinted
		if h.Selection.IDsSHA256 != other.Selection.IDsSHA256 {
			aspects = append(slices.Clip(aspects), OfDraw)
		}
	}
	theirs := map[string]string{}
	for _, f := range other.settings(aspects) {
		theirs[f.name] = f.value
	}
	var diffs []FieldDiff
	for _, f := range h.settings(aspects) {
		if value := theirs[f.name]; value != f.value {
			diffs = append(diffs, FieldDiff{f.name, f.value, value})
		}
		delete(theirs, f.name)
	}
	for _, f := range other.settings(aspects) {
		if value, left := theirs[f.name]; left {
			diffs = append(diffs, FieldDiff{f.name, "", value})
		}
	}
	if slices.Contains(aspects, OfEngine) && h.differsByBuild() && other.differsByBuild() {
		diffs = append(diffs, diffOfBuilds(h.Backend.Features, other.Backend.Features)...)
	}
	return diffs
}

// differsByBuild says whether another build could compute other bits, because ggml's kernels take part. Proctor's have flash attention
// only (it is off only where a GPU takes part), and neither RWKV 7's states nor Qwen 3 Next's equations. A published llama.cpp, which
// has code for each kind of CPU, computes some operations itself.
func (h *Header) differsByBuild() bool {
	ggml := h.Backend.Loaded || !h.Backend.FlashAttention || slices.Contains([]string{"rwkv7", "arwkv7", "qwen3next"}, h.Model.Architecture)
	return h.Backend.Kernels == "ggml" || h.Backend.Kernels != "" && ggml
}

// diffOfBuilds names the instruction sets that only one of two engines was compiled with; none where a journal does not record them.
func diffOfBuilds(ours, theirs string) []FieldDiff {
	if ours == theirs || ours == "" || theirs == "" {
		return nil
	}
	alone := func(features, others string) string {
		known := strings.Fields(others)
		own := slices.DeleteFunc(strings.Fields(features), func(f string) bool { return slices.Contains(known, f) })
		return strings.Join(own, " ")
	}
	return []FieldDiff{{"backend.features", alone(ours, theirs), alone(theirs, ours)}}
}

// DigestIDs is Selection.IDsSHA256: a SHA-256 over the ids in ascending byte order, each followed by a line feed.
func DigestIDs(ids []string) string {
	sum := sha256.New()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		fmt.Fprintln(sum, id)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// A trait is a setting as it is held against another header's; an empty value: it is not set.
type trait struct {
	name   string // as in the file
	aspect Aspect
	value  string
}

// adapters identifies LoRA adapters by their contents.
func adapters(all []backends.Adapter) string {
	var each []string
	for _, a := range all {
		each = append(each, a.FileSHA256+"="+number(a.Scale))
	}
	return list(each)
}

// settings are the settings of a header in some aspects. Those that are not set are left out.
func (h *Header) settings(aspects []Aspect) []trait {
	model := trait{"model.ref", OfModel, h.Model.Ref}
	if h.Model.FileSHA256 != "" {
		model = trait{"model.file_sha256", OfModel, h.Model.FileSHA256}
	}
	fields := []trait{
		{"task", OfQuestions, h.Task},
		{"pattern", OfQuestions, h.Pattern},
		{"dataset.sha256", OfQuestions, h.Dataset.SHA256},
		{"dataset.split", OfQuestions, h.Dataset.Split},
		{"style", OfQuestions, h.Style},
		{"style_file.sha256", OfQuestions, h.StyleFile.Digest()},
		{"shots", OfQuestions, strconv.Itoa(h.Shots)},
		{"repeats", OfQuestions, strconv.Itoa(max(1, h.Repeats))},
		{"system", OfPrompts, h.System},
		{"prompt_mode", OfTemplate, h.PromptMode},
		{"think", OfPrompts, h.Think},
		{"reasoning_effort", OfPrompts, h.Effort},
		{"think_budgets", OfTemplate, strings.Trim(fmt.Sprint(h.Budgets), "[]")},
		{"chat_template.sha256", OfPrompts, h.ChatTemplate.Digest()},
		{"template_args", OfPrompts, string(h.TemplateArguments)},
		model,
		{"model.architecture", OfModel, h.Model.Architecture},
		{"model.parameters", OfModel, strconv.FormatInt(h.Model.Parameters, 10)},
		{"model.quantization", OfModel, h.Model.Quantization},
		{"model.chat_template_sha256", OfModel, h.Model.ChatTemplateSHA256},
		{"model.adapters", OfModel, adapters(h.Model.Adapters)},
		{"backend.name", OfEngine, h.Backend.Name},
		{"backend.version", OfEngine, h.Backend.Version},
		{"backend.slots", OfEngine, oneOrSeveral(&h.Backend)},
		{"backend.gpu_layers", OfEngine, strconv.Itoa(h.Backend.GPULayers)},
		{"backend.devices", OfEngine, list(h.Backend.Devices)},
		{"backend.kv_type", OfEngine, h.Backend.KVType},
		{"backend.kv_rotated", OfEngine, strconv.FormatBool(h.Backend.KVRotated)},
		{"backend.flash_attention", OfEngine, strconv.FormatBool(h.Backend.FlashAttention)},
		{"backend.kernels", OfEngine, h.Backend.Kernels},
		{"backend.extra_body", OfEngine, string(h.Backend.ExtraBody)},
		{"sampling.temperature", OfPrompts, number(h.Sampling.Temperature)},
		{"sampling.seed", OfPrompts, strconv.FormatUint(uint64(h.Sampling.Seed), 10)},
	}
	for part := range h.Sampling.Parts() {
		if part.Set {
			fields = append(fields, trait{"sampling." + part.Name, OfPrompts, number(part.Value)})
		}
	}
	fields = append(fields, []trait{
		{"sampling.max_tokens", OfPrompts, strconv.Itoa(h.Sampling.MaxTokens)},
		{"sampling.stop", OfTemplate, list(h.Sampling.Stop)},
		{"sampling.end_loops", OfPrompts, strconv.FormatBool(h.Sampling.EndLoops)},
		{"sampling.seeds", OfPrompts, h.Sampling.Seeds},
		{"selection.ids_sha256", OfItems, h.Selection.IDsSHA256},
		{"selection.chosen", OfItems, list(h.Selection.Chosen)},
		{"selection.until_decided", OfItems, h.Selection.UntilDecided.digest()},
		{"selection.limit", OfDraw, strconv.Itoa(h.Selection.Limit)},
		{"selection.per_subject", OfDraw, strconv.Itoa(h.Selection.PerSubject)},
		{"selection.share", OfDraw, number(h.Selection.Share)},
		{"selection.first", OfDraw, strconv.FormatBool(h.Selection.First)},
		{"selection.seed", OfDraw, strconv.FormatUint(h.Selection.Seed, 10)},
		{"selection.subjects", OfDraw, list(h.Selection.Subjects)},
		{"rule_set", OfMarks, h.RuleSet},
		{"rule_file.sha256", OfMarks, h.RuleFile.Digest()},
	}...)
	if caps := h.History.Caps(); len(caps) > 1 {
		fields = append(fields, trait{"history.max_tokens", OfItems, fmt.Sprint(caps)})
	}
	if shard := h.History.Last().Shard; shard != nil {
		fields = append(fields, trait{"shard", OfJournal, fmt.Sprintf("%d of %d", shard.Index, shard.Count)})
	}
	if h.Logprobs != nil {
		fields = append(fields, trait{"logprobs.vocabulary_sha256", OfJournal, h.Logprobs.VocabularySHA256})
	}
	for _, subject := range slices.Sorted(maps.Keys(h.Preambles)) {
		text := fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(h.Preambles[subject])))
		fields = append(fields, trait{"preambles." + subject, OfItems, text})
	}
	return slices.DeleteFunc(fields, func(f trait) bool { return f.value == "" || !slices.Contains(aspects, f.aspect) })
}

// digest identifies the reference run by its contents, wherever it is kept.
func (u *UntilDecided) digest() string {
	if u == nil {
		return ""
	}
	return fmt.Sprintf("margin %s, alpha %s, of the run %s", number(u.Margin), number(u.Alpha), u.Fingerprint)
}

func oneOrSeveral(e *backends.EngineInfo) string {
	if e.Slots > 1 || e.Slots == 0 && len(e.Servers) > 0 { // how many a server has is found out while it answers
		return "several"
	}
	return strconv.Itoa(e.Slots)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// list is the text of several values; empty for none.
func list(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return fmt.Sprintf("%q", values)
}

// A FingerprintError refuses to resume a journal under settings that differ from the run's.
type FingerprintError struct {
	Path  string
	Diffs []FieldDiff // Ours are the journal's values, Theirs this run's
}

func (e *FingerprintError) Error() string {
	var lines strings.Builder
	preambles := false
	for _, d := range e.Diffs {
		if strings.HasPrefix(d.Field, "preambles.") && len(e.Diffs) > 1 {
			preambles = true // there are as many as subjects
			continue
		}
		began, now := d.Shown(40)
		fmt.Fprintf(&lines, "\n  %s (journal: %s, now: %s)", d.Field, began, now)
	}
	if preambles {
		lines.WriteString("\n  preambles (what each subject's prompts begin with)")
	}
	return fmt.Sprintf("%s was started with other settings, so it cannot be resumed:%s\ngive the same settings, or none, which takes "+
		"the run's own; or start a new run elsewhere", e.Path, lines.String())
}

// checksum matches a SHA-256 that ends a value.
var checksum = regexp.MustCompile(`[0-9a-f]{64}$`)

// Shown gives the two values for people, each cut after enough bytes, a checksum after 12.
func (d FieldDiff) Shown(enough int) (ours, theirs string) {
	show := func(value string) string {
		if at := checksum.FindStringIndex(value); at != nil {
			return value[:at[0]+12] + "…"
		}
		if len(value) > enough {
			return strings.ToValidUTF8(value[:enough], "") + "…"
		}
		return cmp.Or(value, "none")
	}
	return show(d.Ours), show(d.Theirs)
}
