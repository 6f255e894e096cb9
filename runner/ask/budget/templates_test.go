package budget_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/prompts/chat"
	"proctor/runner/ask/budget"
	"proctor/scripts/tests/sharedtest"
)

// TestPublishedTemplatesHaveTheirMarks holds the marks against templates that models are published with; those that are not named here
// do not think, or in marks of their own (Apertus, Apriel). Those of gpt-oss and Granite
// are not among them: [TestTemplatesThatThinkHaveTheirMarks] has what is known of them.
func TestPublishedTemplatesHaveTheirMarks(t *testing.T) {
	folder := sharedtest.Path(t, "data/chat-templates")
	ways := map[string]string{
		"Bielik-11B-v3.0-Instruct": "tags",
		"ByteDance-Seed-OSS":       "seed",
		"Cohere2MoE":               "cohere",
		"CohereForAI-c4ai-command-r7b-12-2024-tool_use": "cohere",
		"GLM-4.6":                             "tags",
		"GLM-4.7-Flash":                       "tags",
		"Kimi-K2-Thinking":                    "tags",
		"LFM2.5-Instruct":                     "tags",
		"MiroThinker":                         "tags",
		"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "tags",
		"Qwen-QwQ-32B":                        "tags",
		"Qwen-Qwen3-0.6B":                     "tags",
		"Reka-Edge":                           "tags",
		"StepFun3.5-Flash":                    "tags",
		"deepseek-ai-DeepSeek-R1-Distill-Llama-8B": "tags",
		"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "tags",
		"deepseek-ai-DeepSeek-V3.1":                "tags",
		"deepseek-ai-DeepSeek-V3.2":                "tags",
		"google-gemma-4-31B-it-interleaved":        "gemma",
		"llama-cpp-deepseek-r1":                    "tags",
		"llama-cpp-rwkv-world":                     "tags",
		"mistralai-Ministral-3-14B-Reasoning-2512": "mistral",
		"stepfun-ai-Step-3.5-Flash":                "tags",
	}
	shut := map[string]string{ // where the template closes thinking unless enable_thinking, or a variable of its own, asks for it
		"CohereForAI-c4ai-command-r7b-12-2024-tool_use": "<|END_THINKING|>", "Qwen-QwQ-32B": "</think>",
		"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "</think>", "deepseek-ai-DeepSeek-V3.1": "</think>",
		"deepseek-ai-DeepSeek-V3.2": "</think>", "google-gemma-4-31B-it-interleaved": "<channel|>",
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jinja"))
	assert.Assert(t, err == nil && len(files) != 0, "%v, %v", files, err)
	seen := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jinja")
		want, thinks := ways[name]
		if thinks {
			seen++
		}
		text, err := os.ReadFile(file)
		assert.NilError(t, err)
		b, err := budget.Choice{}.For(&keeper{}, budget.Dialogue{Prompt: "Which?", Template: string(text)})
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case want == "" && b != nil:
			t.Errorf("%s: thinks in %s, and should not", name, b.Way.Name)
		case want != "" && (b == nil || b.Way.Name != want):
			t.Errorf("%s: %+v, want %s", name, b, want)
		}
		prompt := rendered(t, string(text))
		if got := strings.TrimSpace(budget.Shut(budget.Dialogue{Prompt: prompt})); got != shut[name] {
			t.Errorf("%s: a prompt ends in %q, closed by %q, want %q", name, prompt[max(0, len(prompt)-60):], got, shut[name])
		}
	}
	assert.Check(t, seen >= len(ways), "%d of %d templates are there", seen, len(ways))
}

// rendered is a question in a template.
func rendered(t *testing.T, source string) string {
	t.Helper()
	template, err := chat.Parse(chat.OfModel, source, chat.Here)
	assert.NilError(t, err)
	prompt, err := template.Render([]chat.Message{{Role: "user", Content: "Which?"}}, chat.Options{AddGenerationPrompt: true, Now: time.Unix(0, 0)})
	if err != nil {
		t.Log(err) // a template that takes no such conversation
	}
	return prompt
}
