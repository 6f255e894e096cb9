package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp"
	"proctor/prompts"
	"proctor/runner/ask/prefixes"
	"proctor/scripts/tests/sharedtest"
)

// TestPromptsOfPublishedVocabularies counts the tokens of prompts with a common preamble as plans do, which tokenise
// the preamble once, and renders a prompt to which the chat template brings BOS: it must be there once, whether or not
// the vocabulary adds it.
func TestPromptsOfPublishedVocabularies(t *testing.T) {
	t.Parallel()
	template := filepath.Join(t.TempDir(), "begins.jinja")
	begins := "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"
	assert.NilError(t, os.WriteFile(template, []byte(begins), 0o600))
	for _, name := range sharedtest.Few(3, []string{
		"llama-spm", "llama-bpe", "qwen2", "command-r", "deepseek-coder", "falcon", "gpt-2", "phi-3",
	}) {
		path, texts, _ := sharedtest.Vectors(t, name)
		vocabulary, err := llamacpp.OpenVocabulary(path, "")
		assert.NilError(t, err)
		defer vocabulary.Close()
		preamble := strings.Repeat(strings.Join(texts, "\n\n"), 2)
		var items []prompts.Item
		for i, text := range texts {
			items = append(items, prompts.Item{Subject: "math", QuestionID: i, Preamble: preamble, Text: text})
		}
		lengths, err := prefixes.Of(items, vocabulary).Lengths()
		assert.NilError(t, err)
		for i, item := range items {
			whole, err := vocabulary.Tokenize(item.Prompt())
			assert.Check(t, err == nil && lengths[i] == len(whole), "%s: %q behind the others: %d tokens, in one piece %d, %v",
				name, item.Text, lengths[i], len(whole), err)
		}

		first, err := vocabulary.Tokenize(vocabulary.ChatTemplate().BOS)
		assert.NilError(t, err)
		bos := strconv.Itoa(int(first[0]))
		rendered := string(run(t, "render", "--data", "sample", "--question", "87", "--shots", "0", "--prompt", "chat",
			"--chat-template", "@"+template, "--model", path))
		_, list, _ := strings.Cut(rendered[strings.LastIndex(rendered, "\n\n"):], " tokens: ")
		ids := strings.Fields(list)
		assert.Check(t, len(ids) > 20 && ids[0] == bos && ids[1] != bos, "%s: BOS is %s: %s", name, bos, list)
	}
}
