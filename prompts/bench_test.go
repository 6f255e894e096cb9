package prompts_test

import (
	"testing"

	"proctor/prompts"
)

// BenchmarkRender renders all test questions of the published set and reports prompts and megabytes a second.
func BenchmarkRender(b *testing.B) {
	set := published(b)
	for _, style := range prompts.Styles {
		b.Run(style.Name, func(b *testing.B) {
			eval := prompts.Eval{Task: tasksOf(style)[0], Style: style, Shots: prompts.MaxShots}
			b.ReportAllocs()
			count, chars := 0, 0
			for b.Loop() {
				items, err := eval.Items(set, set.Test)
				if err != nil {
					b.Fatal(err)
				}
				for _, item := range items {
					chars += len(item.Prompt())
				}
				count += len(items)
			}
			b.ReportMetric(float64(count)/b.Elapsed().Seconds(), "prompts/s")
			b.ReportMetric(float64(chars)/1e6/b.Elapsed().Seconds(), "MB/s")
		})
	}
}

func BenchmarkDigest(b *testing.B) {
	set := published(b)
	eval := evalOf(b, "mmlu_pro", "")
	items, err := eval.Items(set, set.Test)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		prompts.Digests(eval.Style, items)
	}
	b.ReportMetric(float64(len(items)*b.N)/b.Elapsed().Seconds(), "prompts/s")
}
