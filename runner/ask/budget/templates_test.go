package budget_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proctor/prompts/chat"
	"proctor/runner/ask/budget"
	"proctor/scripts/tests/sharedtest"
)

// TestPublishedTemplatesHaveTheirMarks holds the marks against templates that models are published with. Those of gpt-oss and Granite
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

		// These do not think, or in marks of their own (Apertus, Apriel).
		"Apertus-8B-Instruct":                           "",
		"Apriel-1.6-15b-Thinker-fixed":                  "",
		"CohereForAI-c4ai-command-r-plus-tool_use":      "",
		"GigaChat3-10B-A1.8B":                           "",
		"GigaChat3.1-10B-A1.8B":                         "",
		"Kimi-K2-Instruct":                              "",
		"LFM2-8B-A1B":                                   "",
		"MiMo-VL":                                       "",
		"NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use": "",
		"NousResearch-Hermes-3-Llama-3.1-8B-tool_use":   "",
		"Qwen-Qwen2.5-7B-Instruct":                      "",
		"Qwen3-Coder":                                   "",
		"fireworks-ai-llama-3-firefunction-v2":          "",
		"google-gemma-2-2b-it":                          "",
		"meetkai-functionary-medium-v3.1":               "",
		"meetkai-functionary-medium-v3.2":               "",
		"meta-llama-Llama-3.1-8B-Instruct":              "",
		"meta-llama-Llama-3.2-3B-Instruct":              "",
		"meta-llama-Llama-3.3-70B-Instruct":             "",
		"mistralai-Mistral-Nemo-Instruct-2407":          "",
		"moonshotai-Kimi-K2":                            "",
		"unsloth-Apriel-1.5":                            "",
		"unsloth-mistral-Devstral-Small-2507":           "",
	}
	shut := map[string]string{ // where the template closes thinking unless enable_thinking, or a variable of its own, asks for it
		"CohereForAI-c4ai-command-r7b-12-2024-tool_use": "<|END_THINKING|>", "Qwen-QwQ-32B": "</think>",
		"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "</think>", "deepseek-ai-DeepSeek-V3.1": "</think>",
		"deepseek-ai-DeepSeek-V3.2": "</think>", "google-gemma-4-31B-it-interleaved": "<channel|>",
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jinja"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	seen := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jinja")
		want, known := ways[name]
		if !known {
			t.Logf("%s is new", name)
			continue
		}
		seen++
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
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
	if seen < len(ways) {
		t.Errorf("%d of %d templates are there", seen, len(ways))
	}
}

// rendered is a question in a template.
func rendered(t *testing.T, source string) string {
	t.Helper()
	template, err := chat.Parse(chat.OfModel, source, chat.Here)
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := template.Render([]chat.Message{{Role: "user", Content: "Which?"}}, chat.Options{AddGenerationPrompt: true, Now: time.Unix(0, 0)})
	if err != nil {
		t.Log(err) // a template that takes no such conversation
	}
	return prompt
}
