package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/scripts/tests/sharedtest"
)

// shipped are the chat templates that llama.cpp ships, by the models' names.
func shipped(t *testing.T) map[string]*Template {
	t.Helper()
	folder := sharedtest.LlamaCpp(t, "templates")
	files, err := filepath.Glob(filepath.Join(folder, "*.jinja"))
	assert.Assert(t, err == nil && len(files) >= 71, "%v, %v", files, err)
	all := map[string]*Template{}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".jinja")] = templateIn(t, folder,
			strings.TrimSuffix(filepath.Base(file), ".jinja"))
	}
	return all
}

// TestTemplatesOfLlamaCppRenderAsJinja2DoesThem has Jinja2 itself render each template, with and without a system turn
// and shots, with thinking on, off and as the model likes it.
func TestTemplatesOfLlamaCppRenderAsJinja2DoesThem(t *testing.T) {
	if err := exec.Command("python3", "-c", "import jinja2; assert jinja2.__version__ >= '3.1'").Run(); err != nil {
		t.Skipf("no Jinja2, which renders them for comparison: pip install jinja2 (%v)", err)
	}
	type rendering struct {
		name, text string
		err        error
	}
	var ours []rendering
	var jobs bytes.Buffer
	to := json.NewEncoder(&jobs)
	unswitched := 0
	for name, template := range shipped(t) {
		for variant := range 12 {
			messages := shots[:1]
			if variant%2 == 0 {
				messages = nil
			}
			if variant/2%2 == 0 {
				messages = append(slices.Clip(messages), shots[1:3]...)
			}
			messages = append(slices.Clip(messages), question...)
			o := aPrompt
			if think := variant / 4; think > 0 {
				o = thinking(think == 2)
			}
			text, err := template.Render(messages, o)
			if errors.Is(err, ErrThinkingUnknown) {
				unswitched++
				continue
			}
			turns := []any{}
			for _, m := range messages {
				turns = append(turns, map[string]string{"role": m.Role, "content": m.Content})
			}
			variables := o.variables(turns)
			if o.EnableThinking != nil {
				variables[template.toggle] = *o.EnableThinking
			}
			assert.NilError(t, to.Encode([]any{template.source, variables}))
			ours = append(ours, rendering{fmt.Sprintf("%s, variant %d", name, variant), text, err})
		}
	}
	python := exec.Command("python3", "testdata/render.py")
	python.Stdin, python.Stderr = &jobs, os.Stderr
	output, err := python.Output()
	assert.NilError(t, err)
	rendered, refused := 0, map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<24)
	for _, got := range ours {
		assert.Assert(t, lines.Scan(), "Jinja2 rendered fewer")
		var want []*string
		assert.NilError(t, json.Unmarshal(lines.Bytes(), &want))
		switch {
		case want[0] != nil && got.err != nil:
			t.Errorf("%s: %v, where Jinja2 renders it", got.name, got.err)
		case want[0] != nil:
			assert.Check(t, is.Equal(got.text, *want[0]), got.name)
			rendered++
		default:
			assert.Check(t, got.err != nil && strings.Contains(got.err.Error(), ": "+*want[1]),
				"%s: %q, %v, where Jinja2 refuses: %s", got.name, got.text, got.err, *want[1])
			name, _, _ := strings.Cut(got.name, ",")
			refused[name]++
		}
	}
	t.Logf("%d conversations rendered and %v refused as by Jinja2; thinking cannot be switched in %d", rendered, refused,
		unswitched)
	assert.Check(t, rendered > 500 && len(refused) <= 3, "%d rendered, %v refused", rendered, refused)
}

// TestMarksOfTheTemplatesOfLlamaCpp are the marks of thinking of published models; "" for those that show none.
func TestMarksOfTheTemplatesOfLlamaCpp(t *testing.T) {
	all := shipped(t)
	marks := map[string]Marks{
		"Apertus-8B-Instruct":          {"<|inner_prefix|>", "<|inner_suffix|>", ""},
		"Apriel-1.6-15b-Thinker-fixed": {"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", ""},
		"ByteDance-Seed-OSS":           {"<seed:think>", "</seed:think>", ""},
		"Cohere2MoE":                   {"<|START_THINKING|>", "<|END_THINKING|>", "<|END_THINKING|><|START_TEXT|>"},
		"Kimi-K3": {"<|open|>think<|sep|>", "<|close|>think<|sep|>",
			"<|close|>think<|sep|><|open|>response<|sep|>"},
		"MiniMax-M3":              {"<mm:think>", "</mm:think>", ""},
		"google-gemma-4-31B-it":   {"<|channel>thought", "<channel|>", ""},
		"muse-glimmer":            {"to=self<|message|>", "<|eom|>", "<|eom|><|start|>assistant to=user<|message|>"},
		"tencent-Hy3":             {"<think:opensource>", "</think:opensource>", ""},
		"upstage-Solar-Open-100B": {"<|think|>", "<|content|>", "<|end|><|begin|>assistant<|content|>"},
		"openai-gpt-oss-120b": {"<|channel|>analysis<|message|>", "<|channel|>final<|message|>",
			"<|end|><|start|>assistant<|channel|>final<|message|>"},
		"CohereForAI-c4ai-command-r7b-12-2024-tool_use": {"<|START_THINKING|>", "<|END_THINKING|>", ""},
		"mistralai-Ministral-3-14B-Reasoning-2512":      {"[THINK]", "[/THINK]", ""},
	}
	for plain := range strings.FieldsSeq("CohereForAI-c4ai-command-r-plus-tool_use GigaChat3-10B-A1.8B " +
		"Kimi-K2-Instruct LFM2-8B-A1B Qwen3-Coder Qwen-Qwen2.5-7B-Instruct google-gemma-2-2b-it " +
		"meta-llama-Llama-3.1-8B-Instruct microsoft-Phi-3.5-mini-instruct") {
		marks[plain] = Marks{}
	}
	for tags := range strings.FieldsSeq("Bielik-11B-v3.0-Instruct GLM-4.6 HuggingFaceTB-SmolLM3-3B Kimi-K2-Thinking " +
		"MiniMax-M2 Qwen-QwQ-32B NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 NVIDIA-Nemotron-Nano-v2 Qwen-Qwen3-0.6B Qwen3.5-4B " +
		"StepFun3.5-Flash " +
		"llama-cpp-deepseek-r1 deepseek-ai-DeepSeek-R1-Distill-Qwen-32B deepseek-ai-DeepSeek-V3.2 " +
		"deepseek-ai-DeepSeek-V4 poolside-Laguna-XS.2") {
		marks[tags] = Marks{"<think>", "</think>", ""}
	}
	for name, want := range marks {
		got, _ := all[name].Thinking()
		assert.Check(t, got == want, "%s: %q, want %q", name, got, want)
	}
}
