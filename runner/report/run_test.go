package report

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/metrics"
	"proctor/runner/results"
)

// headerOf is the header of a made-up run.
func headerOf(task string) journal.Header {
	style, rules := "tiger@1", "tiger"
	if task == "mmlu_pro_binary" {
		style, rules = "binary@1", "binary"
	}
	pattern := ""
	if task == "mmlu_pro_circular" {
		pattern = "circular"
	}
	return journal.Header{
		Kind: journal.KindRun, Version: journal.Version, ToolVersion: "1.2.3", Created: time.Date(2026, 11, 12, 13, 14, 15, 0, time.UTC),
		Task: task, Pattern: pattern, Style: style, Shots: 5, PromptMode: "raw", RuleSet: rules,
		Dataset: journal.Dataset{Name: "sample", SHA256: strings.Repeat("ab", 32), Split: "test", Rows: 168},
		Model: backends.ModelInfo{
			Ref: "models/tiny.gguf", Name: "tiny", Architecture: "llama", Parameters: 101_500_000, SizeBytes: 60_900_000,
			Quantization: "Q4_K_M", BitsPerWeight: 4.8, FileSHA256: strings.Repeat("cd", 32), ContextLength: 4096,
		},
		Backend:  backends.EngineInfo{Name: "llamacpp", Version: "b7000", Slots: 16, Threads: 2, KVType: "f16", Batch: 512, Microbatch: 512, Context: 4096, Features: "AVX2 FMA"},
		Sampling: journal.Sampling{MaxTokens: 2048, Stop: []string{"Question:"}},
		Host:     backends.Host{CPU: "A processor", Cores: 2, MemoryBytes: 16 << 30, GPUs: []string{}, OS: "linux", Arch: "amd64"},
	}
}

// An answer is what a made-up model says to one item: a letter, "" for no answer, or an error's cause.
type answer struct {
	letter string
	failed backends.Cause
	capped bool
}

func recordOf(h *journal.Header, question int, subject, variant string, options int, gold string, a answer) journal.Record {
	r := journal.Record{
		Kind: journal.KindItem, ID: fmt.Sprintf("%s/%d", h.Task, question), QuestionID: question, Subject: subject, Variant: variant,
		Options: options, Gold: gold, Finish: backends.FinishStop, Attempt: 1,
		Usage:  backends.Usage{PromptTokens: 1200, ReusedTokens: 1000, OutputTokens: 50},
		Timing: backends.Timing{Queue: 5 * time.Millisecond, Prefill: 40 * time.Millisecond, Decode: 200 * time.Millisecond, FirstToken: time.Duration(45+question%7) * time.Millisecond},
	}
	if variant != "" {
		r.ID += "/" + variant
	}
	switch {
	case a.failed != "":
		r.Finish, r.Cause, r.Error = backends.FinishError, a.failed, "it failed"
		r.Usage, r.Timing = backends.Usage{}, backends.Timing{}
		return r
	case a.letter == "":
		r.Text = " it is hard to say."
	default:
		r.Text = " thinking it over, the answer is (" + a.letter + ")."
	}
	if a.capped {
		r.Finish, r.Cause = backends.FinishLength, backends.CauseLength
	}
	return r
}

func letterN(i int) string { return string(rune('A' + i)) }

// mcqRun is a run of MMLU-Pro: count questions of three subjects with 3 to 10 options.
func mcqRun(count int, say func(question, options int, gold string) answer) (journal.Header, []journal.Record) {
	h := headerOf("mmlu_pro")
	h.Selection = journal.Selection{Limit: count, Seed: 1, Items: count, Questions: count}
	subjects := []string{"biology", "law", "math"}
	var records []journal.Record
	for q := range count {
		options := 3 + q*q%8
		gold := letterN(q * 5 % options)
		records = append(records, recordOf(&h, 100+q, subjects[q%3], "", options, gold, say(q, options, gold)))
	}
	return h, records
}

// binaryRun is a run of MMLU-Pro Binary; say gets the option and the gold option and answers A or B.
func binaryRun(count int, say func(question, option, gold int) answer) (journal.Header, []journal.Record) {
	h := headerOf("mmlu_pro_binary")
	subjects := []string{"biology", "law"}
	var records []journal.Record
	for q := range count {
		options := 3 + q*q%8
		gold := q * 5 % options
		for option := range options {
			right := "B"
			if option == gold {
				right = "A"
			}
			r := recordOf(&h, 100+q, subjects[q%2], letterN(option), 2, right, say(q, option, gold))
			r.OptionsOriginal = options
			records = append(records, r)
		}
	}
	h.Selection = journal.Selection{Items: len(records), Questions: count}
	return h, records
}

// circularRun is a run of CircularEval over the given patterns of each question; say answers with a letter.
func circularRun(h journal.Header, golds []int, patterns func(question int) []string, say func(question int, pattern string, gold string) answer) (journal.Header, []journal.Record) {
	var records []journal.Record
	for q, gold := range golds {
		for _, pattern := range patterns(q) {
			letter := pattern[gold : gold+1]
			records = append(records, recordOf(&h, 100+q, "physics", pattern, len(pattern), letter, say(q, pattern, letter)))
		}
	}
	h.Selection = journal.Selection{Items: len(records), Questions: len(golds)}
	return h, records
}

// rotationsOf lists OpenCompass's names for the rotations of n options.
func rotationsOf(n int) []string {
	all := "ABCDEFGHIJ"[:n]
	var patterns []string
	for i := range n {
		patterns = append(patterns, all[i:]+all[:i])
	}
	return patterns
}

func stream(records []journal.Record) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func mustBuild(t testing.TB, h journal.Header, records []journal.Record, o metrics.Options) *metrics.Summary {
	t.Helper()
	r, err := build(&h, stream(records), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func build(h *journal.Header, records iter.Seq2[journal.Record, error], o metrics.Options) (*metrics.Summary, error) {
	run, err := results.Read(h, records, o.RuleSet)
	if err != nil {
		return nil, err
	}
	return metrics.Of(run, o)
}

// exampleRuns are one run of each task with something of everything.
func exampleRuns() map[string]func() (journal.Header, []journal.Record) {
	return map[string]func() (journal.Header, []journal.Record){
		"repeats": noisyRun,
		"mcq": func() (journal.Header, []journal.Record) {
			h, records := mcqRun(60, func(q, options int, gold string) answer {
				switch {
				case q == 7:
					return answer{failed: backends.CauseTruncated}
				case q == 8:
					return answer{failed: backends.CauseTimeout}
				case q%13 == 4:
					return answer{capped: q%2 == 0}
				case q%3 == 0:
					return answer{letter: letterN(q % options)}
				}
				return answer{letter: gold}
			})
			h.Selection.Items = 62
			h.Selection.Population = map[string]int{"biology": 12, "law": 12, "math": 36, "history": 12}
			h.Load = 1250 * time.Millisecond
			return h, inFlight(16, records)
		},
		"binary": func() (journal.Header, []journal.Record) {
			return binaryRun(24, func(q, option, gold int) answer {
				switch {
				case q%6 == 5 && option == 0:
					return answer{}
				case q%5 == 4:
					return answer{letter: "B"}
				case option == gold || q%7 == 3 && option == (gold+1)%3:
					return answer{letter: "A"}
				}
				return answer{letter: "B"}
			})
		},
		"circular": func() (journal.Header, []journal.Record) {
			golds := []int{0, 1, 2, 3, 0, 2, 1, 1, 3, 0, 2, 4}
			h, records := circularRun(headerOf("mmlu_pro_circular"), golds, func(q int) []string { return rotationsOf(4 + q/9) },
				func(q int, pattern, gold string) answer {
					switch {
					case q == 10 && pattern[0] == 'C':
						return answer{failed: backends.CauseConnection}
					case q%4 == 1:
						return answer{letter: "A"}
					case q%4 == 2 && pattern[0] == 'B':
						return answer{letter: pattern[:1]}
					}
					return answer{letter: gold}
				})
			h.Sampling.StopAtAnswer = "tiger"
			for i := range records {
				records[i].AtAnswer = i%3 != 0 && !records[i].Failed()
			}
			return h, records
		},
	}
}

// inFlight gives records times as an engine has them that works on so many at a time, in waves: half a percent of the
// time goes elsewhere, and failures take none. Of every prompt, 190 tokens are new.
func inFlight(slots int, records []journal.Record) []journal.Record {
	began := time.Date(2026, 11, 12, 13, 14, 16, 0, time.UTC)
	for wave := range slices.Chunk(records, slots) {
		engine := time.Duration(0)
		for i := range wave {
			engine += wave[i].Timing.Prefill + wave[i].Timing.Decode
		}
		took := engine * 1005 / 1000
		for i := range wave {
			r := &wave[i]
			r.Began, r.Timing.Total, r.NewTokens = began, took, 190
			if r.Failed() {
				r.Timing.Total = time.Millisecond
			}
		}
		began = began.Add(took)
	}
	return records
}

func shuffled(records []journal.Record) []journal.Record {
	mixed := append([]journal.Record{}, records...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return mixed
}
