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

// Digest computes the header's fingerprint, lower-case hex; the package comment lists what goes into it.
func (h *Header) Digest() string {
	sum := sha256.New()
	for _, f := range h.identity() {
		fmt.Fprintf(sum, "%q %q\n", f.name, f.value)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// Differs lists the fields by which the two headers' fingerprints differ, in the file's order. Where the ids differ, the settings that
// chose them follow. Builds for other instruction sets count where ggml's kernels compute anything, if only attention: the order of
// their sums depends on the CPU's vector length. Proctor's own kernels compute the same bits in every build.
func (h *Header) Differs(other *Header) []FieldDiff {
	diffs := diff(h.identity(), other.identity())
	if h.Selection.IDsSHA256 != other.Selection.IDsSHA256 {
		diffs = append(diffs, diff(h.Selection.fields(), other.Selection.fields())...)
	}
	if h.differsByBuild() && other.differsByBuild() {
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

type field struct{ name, value string }

// adapters identifies LoRA adapters by their contents.
func adapters(all []backends.Adapter) string {
	var each []string
	for _, a := range all {
		each = append(each, a.FileSHA256+"="+number(a.Scale))
	}
	return list(each)
}

func (h *Header) identity() []field {
	model := field{"model.ref", h.Model.Ref}
	if h.Model.FileSHA256 != "" {
		model = field{"model.file_sha256", h.Model.FileSHA256}
	}
	fields := []field{
		{"task", h.Task},
		{"pattern", h.Pattern},
		{"dataset.sha256", h.Dataset.SHA256},
		{"dataset.split", h.Dataset.Split},
		{"style", h.Style},
		{"shots", strconv.Itoa(h.Shots)},
		{"prompt_mode", h.PromptMode},
		{"think", h.Think},
		model,
		{"model.architecture", h.Model.Architecture},
		{"model.parameters", strconv.FormatInt(h.Model.Parameters, 10)},
		{"model.quantization", h.Model.Quantization},
		{"model.chat_template_sha256", h.Model.ChatTemplateSHA256},
		{"backend.name", h.Backend.Name},
		{"backend.version", h.Backend.Version},
		{"backend.slots", oneOrSeveral(&h.Backend)},
		{"backend.gpu_layers", strconv.Itoa(h.Backend.GPULayers)},
		{"backend.kv_type", h.Backend.KVType},
		{"backend.flash_attention", strconv.FormatBool(h.Backend.FlashAttention)},
		{"sampling.temperature", number(h.Sampling.Temperature)},
		{"sampling.top_k", strconv.Itoa(h.Sampling.TopK)},
		{"sampling.top_p", number(h.Sampling.TopP)},
		{"sampling.min_p", number(h.Sampling.MinP)},
		{"sampling.seed", strconv.FormatUint(uint64(h.Sampling.Seed), 10)},
		{"sampling.max_tokens", strconv.Itoa(h.Sampling.MaxTokens)},
		{"sampling.stop", list(h.Sampling.Stop)},
		{"selection.ids_sha256", h.Selection.IDsSHA256},
	}
	fields = append(fields, h.laterFields()...)
	for _, subject := range slices.Sorted(maps.Keys(h.Preambles)) {
		fields = append(fields, field{"preambles." + subject, fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(h.Preambles[subject])))})
	}
	return fields
}

// sampledFirst are the ways to sample that journals had from the first, set or not.
var sampledFirst = []string{"top_k", "top_p", "min_p"}

// laterFields were added after the first journals; they join the fingerprint only where they are set.
func (h *Header) laterFields() []field {
	var fields []field
	for part := range h.Sampling.Parts() {
		if part.Set && !slices.Contains(sampledFirst, part.Name) {
			fields = append(fields, field{"sampling." + part.Name, number(part.Value)})
		}
	}
	caps := h.History.Caps()
	for _, later := range []struct {
		field
		set bool
	}{
		{field{"reasoning_effort", h.Effort}, h.Effort != ""},
		{field{"sampling.end_loops", "true"}, h.Sampling.EndLoops},
		{field{"sampling.seeds", h.Sampling.Seeds}, h.Sampling.Seeds != ""},
		{field{"think_budgets", fmt.Sprint(h.Budgets)}, len(h.Budgets) > 0},
		{field{"backend.kernels", h.Backend.Kernels}, h.Backend.Kernels != ""},
		{field{"backend.kv_rotated", strconv.FormatBool(h.Backend.KVRotated)}, h.Backend.KVRotated},
		{field{"model.adapters", adapters(h.Model.Adapters)}, len(h.Model.Adapters) > 0},
		{field{"backend.extra_body", string(h.Backend.ExtraBody)}, len(h.Backend.ExtraBody) > 0},
		{field{"backend.devices", list(h.Backend.Devices)}, len(h.Backend.Devices) > 0},
		{field{"style_file.sha256", h.StyleFile.Digest()}, h.StyleFile != nil},
		{field{"chat_template.sha256", h.ChatTemplate.Digest()}, h.ChatTemplate != nil},
		{field{"template_args", string(h.TemplateArguments)}, len(h.TemplateArguments) > 0},
		{field{"system", h.System}, h.System != ""},
		{field{"repeats", strconv.Itoa(h.Repeats)}, h.Repeats > 1},
		{field{"history.max_tokens", fmt.Sprint(caps)}, len(caps) > 1},
		{field{"selection.until_decided", h.Selection.UntilDecided.digest()}, h.Selection.UntilDecided != nil},
		{field{"selection.chosen", list(h.Selection.Chosen)}, len(h.Selection.Chosen) > 0},
	} {
		if later.set {
			fields = append(fields, later.field)
		}
	}
	return fields
}

func (s *Selection) fields() []field {
	return []field{
		{"selection.limit", strconv.Itoa(s.Limit)},
		{"selection.first", strconv.FormatBool(s.First)},
		{"selection.seed", strconv.FormatUint(s.Seed, 10)},
		{"selection.subjects", list(s.Subjects)},
	}
}

// beside are the fields outside the fingerprint that all lines of a journal have in common.
func (h *Header) beside() (fields []field) {
	if s := h.History.Last().Shard; s != nil {
		fields = append(fields, field{"shard", fmt.Sprintf("%d of %d", s.Index, s.Count)})
	}
	if h.Logprobs != nil {
		fields = append(fields, field{"logprobs.vocabulary_sha256", h.Logprobs.VocabularySHA256})
	}
	return fields
}

func diff(ours, theirs []field) []FieldDiff {
	rest := map[string]string{}
	for _, f := range theirs {
		rest[f.name] = f.value
	}
	var diffs []FieldDiff
	for _, f := range ours {
		value, there := rest[f.name]
		delete(rest, f.name)
		if !there || value != f.value {
			diffs = append(diffs, FieldDiff{f.name, f.value, value})
		}
	}
	for _, f := range theirs {
		if value, left := rest[f.name]; left {
			diffs = append(diffs, FieldDiff{f.name, "", value})
		}
	}
	return diffs
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

func list(values []string) string { return fmt.Sprintf("%q", values) }

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
