package journal_test

import (
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
)

func TestTheFingerprintCoversWhatDecidesTheText(t *testing.T) {
	base := header()
	for field, change := range map[string]func(*journal.Header){
		"task":                       func(h *journal.Header) { h.Task = "mmlu_pro_binary" },
		"pattern":                    func(h *journal.Header) { h.Pattern = "circular" },
		"dataset.sha256":             func(h *journal.Header) { h.Dataset.SHA256 = "other" },
		"dataset.split":              func(h *journal.Header) { h.Dataset.Split = "validation" },
		"style":                      func(h *journal.Header) { h.Style = "tiger@2" },
		"shots":                      func(h *journal.Header) { h.Shots = 0 },
		"prompt_mode":                func(h *journal.Header) { h.PromptMode = "chat" },
		"think":                      func(h *journal.Header) { h.Think = "on" },
		"model.file_sha256":          func(h *journal.Header) { h.Model.FileSHA256 = "other" },
		"model.architecture":         func(h *journal.Header) { h.Model.Architecture = "qwen3" },
		"model.parameters":           func(h *journal.Header) { h.Model.Parameters++ },
		"model.quantization":         func(h *journal.Header) { h.Model.Quantization = "Q8_0" },
		"model.chat_template_sha256": func(h *journal.Header) { h.Model.ChatTemplateSHA256 = "" },
		"backend.name":               func(h *journal.Header) { h.Backend.Name = "ollama" },
		"backend.version":            func(h *journal.Header) { h.Backend.Version = "v2" },
		"backend.slots":              func(h *journal.Header) { h.Backend.Slots = 1 },
		"backend.gpu_layers":         func(h *journal.Header) { h.Backend.GPULayers = 99 },
		"backend.devices":            func(h *journal.Header) { h.Backend.Devices = []string{"CUDA0 a GPU"} },
		"backend.extra_body":         func(h *journal.Header) { h.Backend.ExtraBody = []byte(`{"a":1}`) },
		"backend.kv_type":            func(h *journal.Header) { h.Backend.KVType = "q8_0" },
		"backend.kv_rotated":         func(h *journal.Header) { h.Backend.KVRotated = true },
		"backend.flash_attention":    func(h *journal.Header) { h.Backend.FlashAttention = true },
		"sampling.temperature":       func(h *journal.Header) { h.Sampling.Temperature = 0 },
		"sampling.top_k":             func(h *journal.Header) { h.Sampling.TopK = 0 },
		"sampling.top_p":             func(h *journal.Header) { h.Sampling.TopP = 1 },
		"sampling.min_p":             func(h *journal.Header) { h.Sampling.MinP = 0 },
		"sampling.seed":              func(h *journal.Header) { h.Sampling.Seed++ },
		"sampling.max_tokens":        func(h *journal.Header) { h.Sampling.MaxTokens = 512 },
		"sampling.stop":              func(h *journal.Header) { h.Sampling.Stop = nil },
		"sampling.seeds":             func(h *journal.Header) { h.Sampling.Seeds = journal.SeedsByItem },
		"sampling.repeat_penalty":    func(h *journal.Header) { h.Sampling.RepeatPenalty = 1.1 },
		"sampling.presence_penalty":  func(h *journal.Header) { h.Sampling.PresencePenalty = 0.5 },
		"sampling.frequency_penalty": func(h *journal.Header) { h.Sampling.FrequencyPenalty = -0.5 },
		"selection.ids_sha256":       func(h *journal.Header) { h.Selection.IDsSHA256 = "other" },
		"style_file.sha256":          func(h *journal.Header) { h.StyleFile = journal.SourceOf("style: a@1") },
		"chat_template.sha256":       func(h *journal.Header) { h.ChatTemplate = journal.SourceOf("{{ messages }}") },
		"template_args":              func(h *journal.Header) { h.TemplateArguments = []byte(`{"effort":"low"}`) },
		"system":                     func(h *journal.Header) { h.System = "You are careful." },
		"preambles.law":              func(h *journal.Header) { h.Preambles = map[string]string{"law": "other"} },
		"history.max_tokens":         func(h *journal.Header) { h.History = append(h.History, journal.Part{MaxTokens: 4096}) },
		"repeats":                    func(h *journal.Header) { h.Repeats = 2 },
		"selection.until_decided": func(h *journal.Header) {
			h.Selection.UntilDecided = &journal.UntilDecided{Run: "q8",
				Margin: 0.02}
		},
		"preambles.math": func(h *journal.Header) { h.Preambles = map[string]string{"law": h.Preambles["law"], "math": "x"} },
	} {
		other := header()
		change(&other)
		diffs := base.Differs(&other)
		assert.Check(t, len(diffs) == 1 && diffs[0].Field == field && diffs[0].Ours != diffs[0].Theirs, "%s: %v", field, diffs)
		assert.Check(t, base.Digest() != other.Digest(), "%s: same fingerprint", field)
	}
}

func TestTheFingerprintLeavesOutWhatDoesNotDecideTheText(t *testing.T) {
	base := header()
	for field, change := range map[string]func(*journal.Header){
		"tool_version":    func(h *journal.Header) { h.History[0].ToolVersion = "9" },
		"created":         func(h *journal.Header) { h.History[0].Created = h.History[0].Created.Add(time.Hour) },
		"dataset.name":    func(h *journal.Header) { h.Dataset.Name = "mine" },
		"rule_set":        func(h *journal.Header) { h.RuleSet = "anchored" },
		"rule_file":       func(h *journal.Header) { h.RuleFile = journal.SourceOf("name: m") },
		"strip_thinking":  func(h *journal.Header) { h.Strip = false },
		"thinking_marks":  func(h *journal.Header) { h.Thinking = []backends.Thinking{{Open: "[THINK]", Close: "[/THINK]"}} },
		"model.ref":       func(h *journal.Header) { h.Model.Ref = "elsewhere/m.gguf" },
		"model.name":      func(h *journal.Header) { h.Model.Name = "m" },
		"backend.slots":   func(h *journal.Header) { h.Backend.Slots = 8 },
		"backend.threads": func(h *journal.Header) { h.Backend.Threads = 64 },
		"backend.context": func(h *journal.Header) { h.Backend.Context = 8192 },
		"backend.batch":   func(h *journal.Header) { h.Backend.Batch, h.Backend.Microbatch = 512, 128 },
		"host":            func(h *journal.Header) { h.History[0].Host = backends.Host{} },
		"load_ns":         func(h *journal.Header) { h.History[0].Load = time.Second },
		"no repeats":      func(h *journal.Header) { h.Repeats = 1 },
		"no penalty":      func(h *journal.Header) { h.Sampling.RepeatPenalty = 1 },
		"notes":           func(h *journal.Header) { h.Notes = []string{"x"} },
		"shard":           func(h *journal.Header) { h.History[0].Shard = &journal.Shard{Index: 1, Count: 2} },
		"extended":        func(h *journal.Header) { h.History = append(h.History, h.History[0]) },
		"selection.limit": func(h *journal.Header) { h.Selection.Limit = 0 },
	} {
		other := header()
		change(&other)
		diffs := base.Differs(&other)
		assert.Check(t, len(diffs) == 0 && base.Digest() == other.Digest(), "%s: differs in %v", field, diffs)
	}
}

// ggml's kernels compute other bits where they are compiled for other instruction sets, and proctor's do not. An old journal
// that does not tell what it was compiled for goes on.
func TestBuildsDifferWhereGGMLComputes(t *testing.T) {
	const native, portable = "SSE3 AVX2 FMA AVX512 AVX512_VNNI", "SSE3 AVX2 FMA"
	for _, test := range []struct {
		architecture, kernels string
		flash                 bool
		ours, theirs, want    string
	}{
		{"llama", "ggml", true, native, portable, "[{backend.features AVX512 AVX512_VNNI }]"},
		{"llama", "ggml", false, portable, native, "[{backend.features  AVX512 AVX512_VNNI}]"},
		{"llama", "ggml", true, native, native, "[]"},
		{"llama", "ggml", true, "", native, "[]"},
		{"llama", "proctor", true, native, portable, "[]"},
		{"llama", "proctor", false, native, portable, "[{backend.features AVX512 AVX512_VNNI }]"},
		{"llama", "", false, native, portable, "[]"},
		{"rwkv6", "proctor", true, native, portable, "[]"}, // the others have states or equations that ggml computes
		{"rwkv7", "proctor", true, native, portable, "[{backend.features AVX512 AVX512_VNNI }]"},
		{"arwkv7", "proctor", true, native, portable, "[{backend.features AVX512 AVX512_VNNI }]"},
		{"qwen3next", "proctor", true, native, portable, "[{backend.features AVX512 AVX512_VNNI }]"},
	} {
		base, other := header(), header()
		base.Model.Architecture, other.Model.Architecture = test.architecture, test.architecture
		base.Backend.Kernels, other.Backend.Kernels = test.kernels, test.kernels
		base.Backend.FlashAttention, other.Backend.FlashAttention = test.flash, test.flash
		base.Backend.Features, other.Backend.Features = test.ours, test.theirs
		assert.Check(t, is.Equal(fmt.Sprint(base.Differs(&other)), test.want), "%+v", test)
		assert.Check(t, is.Equal(base.Digest(), other.Digest()), "%+v: the fingerprint is the same", test)
	}
}

func TestAModelWithoutAFileIsKnownByItsRef(t *testing.T) {
	base, other := header(), header()
	base.Model.FileSHA256, other.Model.FileSHA256 = "", ""
	other.Model.Ref = "ollama:other"
	diffs := base.Differs(&other)
	assert.Check(t, len(diffs) == 1 && diffs[0].Field == "model.ref", "differs in %v", diffs)
}

func TestOtherIDsAreExplainedByTheSettingsThatChoseThem(t *testing.T) {
	base, other := header(), header()
	other.Selection = journal.Selection{Limit: 140, Seed: 1, Subjects: []string{"law"}, IDsSHA256: "other"}
	want := "[{selection.ids_sha256 " + base.Selection.IDsSHA256 + " other} {selection.limit 70 140}]"
	assert.Check(t, is.Equal(fmt.Sprint(base.Differs(&other)), want))
}

func TestOtherRepeatsAndMarginsDiffer(t *testing.T) {
	base, other := header(), header()
	base.Repeats, base.Selection.UntilDecided = 2, &journal.UntilDecided{Run: "q8", Margin: 0.02}
	other.Repeats, other.Selection.UntilDecided = 3, &journal.UntilDecided{Run: "q8", Margin: 0.03}
	diffs := base.Differs(&other)
	assert.Check(t, len(diffs) == 2 && diffs[0].Field == "repeats" &&
		diffs[1].Field == "selection.until_decided", "%v", diffs)
}

func TestTheDigestOfIDsDoesNotDependOnTheirOrder(t *testing.T) {
	// printf 'a\nb\n' | sha256sum
	const want = "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2"
	assert.Check(t, is.Equal(journal.DigestIDs([]string{"b", "a"}), want))
}
