package journal_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/scripts/tests/headertest"
)

// beside are the header's fields that the fingerprint leaves out, and why.
var beside = map[string]string{
	"kind": format, "version": format, "fingerprint": "it is the fingerprint",

	"date":  "each prompt that shows it has it",
	"notes": "they are for people",
	"flags": "they say the other fields again", "backend.servers": when,

	"dataset.name": named, "dataset.rows": ofContent, "dataset.options": ofContent, "dataset.subjects": ofContent,
	"dataset.map":       ofContent,
	"dataset.published": ofContent, "style_file.text": ofContent, "chat_template.text": ofContent,
	"model.ref": named, "model.name": named, "model.size_bytes": ofContent, "model.bits_per_weight": ofContent,
	"model.context_length": ofContent, "model.tensor_types.type": ofContent, "model.tensor_types.tensors": ofContent,
	"model.tensor_types.bytes": ofContent, "model.fell_back": ofContent, "model.split_as_default": ofContent,
	"model.adapters.ref": named,

	"backend.threads": speed, "backend.kv_windowed": speed, "backend.batch": speed, "backend.ubatch": speed,
	"backend.kernel_level": speed, "backend.level_forced": speed, "backend.multiplying": speed, "backend.offloaded": speed,
	"backend.context": "what fits is answered alike", "backend.kernels_because": "it says why backend.kernels is ggml",
	"backend.loaded":   "backend.version names the build",
	"backend.features": "it is held against another's where ggml's kernels compute",
	"backend.requests": "they say sampling again",

	"rule_set": marks, "rule_file.sha256": marks, "rule_file.text": marks, "strip_thinking": marks,
	"thinking_marks.open":  marks,
	"thinking_marks.close": marks, "thinking_marks.force": marks, "direct.spellings": "they follow from model and prompts",

	"sampling.from":   "they say where the other numbers come from",
	"selection.limit": drawn, "selection.first": drawn, "selection.seed": drawn, "selection.subjects": drawn,
	"selection.items":     drawn,
	"selection.questions": drawn, "selection.per_subject": drawn, "selection.share": drawn,
	"selection.until_decided.run": named,

	"logprobs.top": part, "logprobs.vocabulary_sha256": part,

	"history.tool_version": when, "history.created": when, "history.host.cpu": when, "history.host.cores": when,
	"history.host.memory_bytes": when, "history.host.gpus": when, "history.host.os": when, "history.host.arch": when,
	"history.load_ns": when, "history.shard.index": part, "history.shard.count": part, "history.shard.questions": part,
	"history.shard.items": part, "history.shard.ids_sha256": part, "history.questions.limit": drawn,
	"history.questions.per_subject": drawn, "history.questions.share": drawn,
	"history.max_tokens": "one cap is sampling's",
}

const (
	format    = "it is of the format"
	when      = "it says when and where"
	named     = "it is a name of what has a checksum"
	ofContent = "the checksum of the content decides it"
	speed     = "it changes the speed alone"
	marks     = "it decides how answers are marked"
	drawn     = "the checksum of the ids has what was drawn"
	part      = "it says which part of the run is kept"
)

func TestEveryFieldOfAHeaderIsInTheFingerprintOrNamed(t *testing.T) {
	left := maps.Clone(beside)
	for field, all := range headertest.Changes(header) {
		counts := slices.ContainsFunc(all, func(c headertest.Change) bool { return c.From.Digest() != c.To.Digest() })
		why, named := beside[field]
		assert.Check(t, counts != named, "%s: in the fingerprint %v, left out because %q", field, counts, why)
		for _, c := range all {
			differs := slices.ContainsFunc(c.From.Differs(&c.To), func(d journal.FieldDiff) bool {
				return strings.HasPrefix(field, d.Field) || strings.HasPrefix(d.Field, field)
			})
			assert.Check(t, !counts || differs || c.From.Digest() == c.To.Digest(), "%s is not named: %v", field,
				c.From.Differs(&c.To))
		}
		delete(left, field)
	}
	assert.Check(t, len(left) == 0, "a header has no such fields: %v", left)
}

// What means the same has the same fingerprint.
func TestTheFingerprintTakesForOneWhatMeansTheSame(t *testing.T) {
	base := header()
	for name, change := range map[string]func(*journal.Header){
		"several slots are several": func(h *journal.Header) { h.Backend.Slots = 8 },
		"no repeats":                func(h *journal.Header) { h.Repeats = 1 },
		"no penalty":                func(h *journal.Header) { h.Sampling.RepeatPenalty = 1 },
		"extended":                  func(h *journal.Header) { h.History = append(h.History, h.History[0]) },
	} {
		other := header()
		change(&other)
		assert.Check(t, len(base.Differs(&other)) == 0 && base.Digest() == other.Digest(), name)
	}
	raised := header()
	raised.History = append(raised.History, journal.Part{MaxTokens: 4096})
	diffs := base.Differs(&raised)
	assert.Check(t, len(diffs) == 1 && diffs[0].Field == "history.max_tokens" && base.Digest() != raised.Digest(), "%v",
		diffs)
	other := header()
	other.Preambles = map[string]string{"law": other.Preambles["law"], "math": "x"}
	assert.Equal(t, fmt.Sprint(base.Differs(&other))[:len("[{preambles.math  sha256 ")], "[{preambles.math  sha256 ")
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
