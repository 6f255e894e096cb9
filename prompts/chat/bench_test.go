package chat

import (
	"strings"
	"testing"
)

// prompts is how many items MMLU-Pro's test split has.
const prompts = 12_032

// BenchmarkPrompts renders a test split's worth of prompts, each of five shots and about 5 kB.
func BenchmarkPrompts(b *testing.B) {
	conversation := []Message{{"system", "The following are multiple choice questions."}}
	for range 5 {
		conversation = append(conversation,
			Message{"user", strings.Repeat("What is the charge of an α particle? ", 12)},
			Message{"assistant", strings.Repeat("Let us think step by step. ", 16)})
	}
	conversation = append(conversation, Message{"user", strings.Repeat("What is the mass of an α particle? ", 16)})

	process := apart()
	render := func(b *testing.B, t *Template) {
		t.render = process.Render
		var bytes int
		for b.Loop() {
			for range prompts {
				rendering, err := t.Fold(conversation, aPrompt)
				if err != nil {
					b.Fatal(err)
				}
				bytes = len(rendering.Text)
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/split")
		b.ReportMetric(float64(bytes), "B/prompt")
	}
	for _, name := range []string{"marked-turns", "no-system", "thinking"} {
		b.Run(name, func(b *testing.B) { render(b, ownTemplate(b, name)) })
	}
	for _, name := range []string{"Qwen-Qwen3-0.6B", "google-gemma-2-2b-it", "meta-llama-Llama-3.1-8B-Instruct"} {
		b.Run(name, func(b *testing.B) {
			render(b, readTemplate(b, name))
		})
	}
}
