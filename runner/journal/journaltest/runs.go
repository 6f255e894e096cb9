// Package journaltest makes up runs for the tests of the stages that read journals.
package journaltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
)

// Header is the header of a made-up run.
func Header(task string) journal.Header {
	style, rules, pattern := "tiger@1", "tiger", ""
	switch task {
	case "mmlu_pro_binary":
		style, rules = "binary@1", "binary"
	case "mmlu_pro_circular":
		pattern = "circular"
	}
	return journal.Header{
		Kind: journal.KindRun, Version: journal.Version,
		Task: task, Pattern: pattern, RuleSet: rules,
		Model: backends.ModelInfo{
			Ref: "models/tiny.gguf", Name: "tiny", Architecture: "llama", Parameters: 101_500_000, SizeBytes: 60_900_000,
			Quantization: "Q4_K_M", BitsPerWeight: 4.8, FileSHA256: strings.Repeat("cd", 32), ContextLength: 4096,
			TensorTypes: []backends.TensorType{{Type: "Q4_K", Tensors: 14, Bytes: 540}, {Type: "F32", Tensors: 5, Bytes: 60}},
		},
		Backend: backends.EngineInfo{Name: "llamacpp", Version: "b7000", Slots: 16, Threads: 2, KVType: "f16", Batch: 512,
			Microbatch: 512, Context: 4096, Features: "AVX2 FMA"},
		History: journal.History{{
			ToolVersion: "1.2.3", Created: time.Date(2026, 11, 12, 13, 14, 15, 0, time.UTC), MaxTokens: 2048,
			Host: backends.Host{CPU: "A processor", Cores: 2, MemoryBytes: 16 << 30, GPUs: []string{}, OS: "linux",
				Arch: "amd64"},
		}},
		Setup: journal.Setup{
			Style: style, Shots: 5, PromptMode: "raw",
			Dataset:  journal.Dataset{Name: "sample", SHA256: strings.Repeat("ab", 32), Split: "test", Rows: 168},
			Sampling: journal.Sampling{MaxTokens: 2048, Stop: []string{"Question:"}},
		},
	}
}

// An Answer is a made-up model's answer to one item: a letter, "" for no answer, or an error's cause.
type Answer struct {
	Letter string
	Failed backends.Cause
	Capped bool
}

func Record(h *journal.Header, question int, subject, variant string, options int, gold string, a Answer) journal.Record {
	r := journal.Record{
		Kind: journal.KindItem, ID: fmt.Sprintf("%s/%d", h.Task, question), QuestionID: question, Subject: subject, Variant: variant,
		Options: options, Gold: gold, Finish: backends.FinishStop, Attempt: 1,
		Usage: backends.Usage{PromptTokens: 1200, ReusedTokens: 1000, OutputTokens: 50},
		Timing: backends.Timing{Queue: 5 * time.Millisecond, Prefill: 40 * time.Millisecond, Decode: 200 * time.Millisecond,
			FirstToken: time.Duration(45+question%7) * time.Millisecond},
	}
	if variant != "" {
		r.ID += "/" + variant
	}
	switch {
	case a.Failed != "":
		r.Finish, r.Cause, r.Error = backends.FinishError, a.Failed, "it failed"
		r.Usage, r.Timing = backends.Usage{}, backends.Timing{}
		return r
	case a.Letter == "":
		r.Text = " it is hard to say."
	default:
		r.Text = " thinking it over, the answer is (" + a.Letter + ")."
	}
	if a.Capped {
		r.Finish, r.Cause = backends.FinishLength, backends.CauseLength
	}
	return r
}

func Letter(i int) string { return string(rune('A' + i)) }

// MCQ is a run of MMLU-Pro: count questions of three subjects with 3 to 10 options.
func MCQ(count int, say func(question, options int, gold string) Answer) (journal.Header, []journal.Record) {
	h := Header("mmlu_pro")
	h.Selection = journal.Selection{Limit: count, Seed: 1, Items: count, Questions: count}
	subjects := []string{"biology", "law", "math"}
	var records []journal.Record
	for q := range count {
		options := 3 + q*q%8
		gold := Letter(q * 5 % options)
		records = append(records, Record(&h, 100+q, subjects[q%3], "", options, gold, say(q, options, gold)))
	}
	return h, records
}

// Binary is a run of MMLU-Pro Binary; say gets the option and the gold option and answers A or B.
func Binary(count int, say func(question, option, gold int) Answer) (journal.Header, []journal.Record) {
	h := Header("mmlu_pro_binary")
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
			r := Record(&h, 100+q, subjects[q%2], Letter(option), 2, right, say(q, option, gold))
			r.OptionsOriginal = options
			records = append(records, r)
		}
	}
	h.Selection = journal.Selection{Items: len(records), Questions: count}
	return h, records
}

// Circular is a run of CircularEval over the given patterns of each question; say answers with a letter.
func Circular(h journal.Header, golds []int, patterns func(question int) []string,
	say func(question int, pattern string, gold string) Answer) (journal.Header, []journal.Record) {
	var records []journal.Record
	for q, gold := range golds {
		for _, pattern := range patterns(q) {
			letter := pattern[gold : gold+1]
			records = append(records, Record(&h, 100+q, "physics", pattern, len(pattern), letter, say(q, pattern, letter)))
		}
	}
	h.Selection = journal.Selection{Items: len(records), Questions: len(golds)}
	return h, records
}

// Rotations lists OpenCompass's names for the rotations of n options.
func Rotations(n int) []string {
	all := "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:n]
	patterns := make([]string, n)
	for i := range patterns {
		patterns[i] = all[i:] + all[:i]
	}
	return patterns
}

// Examples are one run of each task with something of everything.
func Examples() map[string]func() (journal.Header, []journal.Record) {
	return map[string]func() (journal.Header, []journal.Record){
		"repeats": noisy, "mcq": mcq, "direct": direct, "thinking": thinking, "binary": binary, "circular": circular,
	}
}

// everyThird answers with any letter on every third question, with the gold one on the others, and fails once.
func everyThird(q, options int, gold string) Answer {
	switch {
	case q == 7:
		return Answer{Failed: backends.CauseTruncated}
	case q%3 == 0:
		return Answer{Letter: Letter(q % options)}
	}
	return Answer{Letter: gold}
}

func mcq() (journal.Header, []journal.Record) {
	h, records := MCQ(60, func(q, options int, gold string) Answer {
		switch {
		case q == 8:
			return Answer{Failed: backends.CauseTimeout}
		case q%13 == 4:
			return Answer{Capped: q%2 == 0}
		}
		return everyThird(q, options, gold)
	})
	h.Selection.Items = 62
	h.Dataset.Subjects = 4
	h.History[0].Load = 1250 * time.Millisecond
	return h, InFlight(16, records)
}

func direct() (journal.Header, []journal.Record) {
	h, records := MCQ(60, everyThird)
	h, records = Direct(h, records, 2, 1)
	return h, InFlight(16, records)
}

func thinking() (journal.Header, []journal.Record) {
	h, records := MCQ(60, func(q, options int, gold string) Answer {
		switch {
		case q == 7:
			return Answer{Failed: backends.CauseTimeout}
		case q%4 == 1:
			return Answer{Letter: Letter((q*5 + 1) % options)}
		}
		return Answer{Letter: gold}
	})
	h, records = Thinking(h, records)
	return h, InFlight(16, records)
}

func binary() (journal.Header, []journal.Record) {
	return Binary(24, func(q, option, gold int) Answer {
		switch {
		case q%6 == 5 && option == 0:
			return Answer{}
		case q%5 == 4:
			return Answer{Letter: "B"}
		case option == gold || q%7 == 3 && option == (gold+1)%3:
			return Answer{Letter: "A"}
		}
		return Answer{Letter: "B"}
	})
}

func circular() (journal.Header, []journal.Record) {
	golds := []int{0, 1, 2, 3, 0, 2, 1, 1, 3, 0, 2, 4}
	return Circular(Header("mmlu_pro_circular"), golds, func(q int) []string { return Rotations(4 + q/9) },
		func(q int, pattern, gold string) Answer {
			switch {
			case q == 10 && pattern[0] == 'C':
				return Answer{Failed: backends.CauseConnection}
			case q%4 == 1:
				return Answer{Letter: "A"}
			case q%4 == 2 && pattern[0] == 'B':
				return Answer{Letter: pattern[:1]}
			}
			return Answer{Letter: gold}
		})
}

// InFlight gives records the times of an engine that works on slots items at a time, in waves: half a percent of the time is lost, and
// failures take none. 190 tokens of every prompt are new.
func InFlight(slots int, records []journal.Record) []journal.Record {
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

func Shuffled(records []journal.Record) []journal.Record {
	mixed := slices.Clone(records)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return mixed
}

// Again makes a run that asks every item times times; say, which may be nil, changes the later answers.
func Again(h journal.Header, records []journal.Record, times int,
	say func(repeat int, r *journal.Record)) (journal.Header, []journal.Record) {
	h.Repeats = times
	h.Selection.Items *= times
	var all []journal.Record
	for _, r := range records {
		for repeat := 1; repeat <= times; repeat++ {
			another := r
			another.ID = journal.RepeatID(r.ID, repeat)
			if repeat > 1 {
				another.Repeat = repeat
			}
			if say != nil {
				say(repeat, &another)
			}
			all = append(all, another)
		}
	}
	return h, all
}

// noisy is an MMLU-Pro run of 40 questions, each asked four times, with inconsistent answers to every third question.
func noisy() (journal.Header, []journal.Record) {
	h, records := MCQ(40, func(q, options int, gold string) Answer {
		switch {
		case q == 11:
			return Answer{Failed: backends.CauseTimeout}
		case q%5 == 4:
			return Answer{Letter: Letter(q % options)}
		}
		return Answer{Letter: gold}
	})
	h.Sampling.Temperature, h.Sampling.TopP, h.Sampling.Seed = 0.7, 1, 5
	h.Selection.Limit = 40
	return Again(h, records, 4, func(repeat int, r *journal.Record) {
		if r.QuestionID%3 == 0 && repeat%2 == 0 && !r.Failed() {
			r.Text = " thinking it over, the answer is (" + Letter((r.QuestionID+repeat)%r.Options) + ")."
		}
		if r.QuestionID == 120 && repeat == 3 {
			r.Text = " it is hard to say."
		}
	})
}
