package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends/gguf"
)

// fileOf is a GGUF file with keys, each KEY=VALUE, and tensors of one number.
func fileOf(keys string, tensors ...string) []byte {
	var w gguf.Writer
	for each := range strings.FieldsSeq(keys) {
		key, value, _ := strings.Cut(each, "=")
		if n, err := strconv.ParseUint(value, 10, 32); err == nil {
			w.Uint32(key, uint32(n))
		} else if text, list := strings.CutPrefix(value, "["); list {
			w.Texts(key, text)
		} else {
			w.Text(key, value)
		}
	}
	for _, name := range tensors {
		w.Tensor(name, 0, 4, 1)
	}
	return append(w.Header(), make([]byte, len(tensors)*gguf.Aligned(4))...)
}

// TestFilesThatAreNoTextModelsSayWhatTheyAre gives `inspect`, `run`, `sweep` and `models` what people take for models.
// The keys are those that llama.cpp's tools and others write.
func TestFilesThatAreNoTextModelsSayWhatTheyAre(t *testing.T) {
	folder := t.TempDir()
	wants := map[string]string{}
	put := func(name, want string, file []byte) {
		path := filepath.Join(folder, name+".gguf")
		assert.NilError(t, os.WriteFile(path, file, 0o600))
		wants[path] = path + ": " + want
	}
	for name, test := range map[string]struct{ keys, want string }{
		"imatrix": {
			"general.type=imatrix imatrix.chunk_count=4",
			"an importance matrix, by which models are quantised: give the model itself, and this file to a sweep " +
				"with --imatrix\n",
		},
		"lora": {
			"general.type=adapter general.architecture=qwen3 adapter.type=lora",
			"an adapter (LoRA), which changes a model and is none: give the qwen3 model that it was trained for, and " +
				"this file with --lora\n",
		},
		"mmproj": {
			"general.type=mmproj general.architecture=clip clip.projector_type=gemma3",
			"the part of a model that sees or hears (clip, an mmproj file): give the model's own file, which continues " +
				"a text without it\n",
		},
		"mmproj of 2024": {"general.architecture=clip", "the part of a model that sees or hears (clip, "},
		"control vector": {"general.architecture=controlvector", "a control vector (controlvector), which steers a model "},
		"decision": {
			"general.type=model general.architecture=qwen35 qwen35.decision.type=openjev",
			"a decision model (qwen35, openjev), which scores given options and writes no text: choose a language model\n",
		},
		"BERT":       {"general.architecture=bert bert.pooling_type=2", "an embedding model (bert), which turns "},
		"ModernBERT": {"general.architecture=modern-bert", "an embedding model (modern-bert), "},
		"ModernBERT that rates": {
			"general.architecture=modern-bert modern-bert.classifier.output_labels=[good",
			"a classifier or reranker (modern-bert), which scores a text and does not continue it: choose a language model\n",
		},
		"Nomic":            {"general.architecture=nomic-bert-moe", "an embedding model (nomic-bert-moe), "},
		"Jina":             {"general.architecture=jina-bert-v3", "an embedding model (jina-bert-v3), "},
		"Gemma":            {"general.architecture=gemma-embedding", "an embedding model (gemma-embedding), "},
		"Qwen3":            {"general.architecture=qwen3 qwen3.pooling_type=3", "an embedding model (qwen3), "},
		"Qwen3 that ranks": {"general.architecture=qwen3 qwen3.pooling_type=4", "a classifier or reranker (qwen3), "},
		"T5":               {"general.architecture=t5", "an encoder-decoder model (t5), which proctor does not run: "},
		"T5's encoder":     {"general.architecture=t5encoder", "an embedding model (t5encoder), "},
		"diffusion":        {"general.architecture=llada", "a diffusion model (llada), which does not write token "},
		"draft":            {"general.architecture=eagle3", "a draft model (eagle3), which guesses ahead for "},
		"speech":           {"general.architecture=wavtokenizer-dec", "a part of a speech model (wavtokenizer-dec), "},
		"images":           {"general.architecture=flux", "a model of images or videos (flux): choose a language model\n"},
		"no architecture":  {"general.name=sd", "no model for llama.cpp: it names no architecture "},
	} {
		put(name, test.want, fileOf(test.keys, "a"))
	}
	put("vocabulary", "a vocabulary without tensors, which can count tokens and not answer: give the model itself\n",
		fileOf("general.architecture=llama llama.pooling_type=0"))
	var parts []byte
	for i, name := range []string{"", "joined-00001-of-00003", "joined"} {
		keys := fmt.Sprintf("general.architecture=llama split.no=%d split.count=3", i)
		parts = append(parts, fileOf(keys, fmt.Sprint(i))...)
		if i > 0 {
			put(name, fmt.Sprintf("%d of the 3 parts of a split model, joined as cat joins files, which llama.cpp cannot "+
				"read: give the first of the parts as they were (llama-gguf-split --merge makes one file of them)\n", i+1), parts)
		}
	}
	listed, _ := command(t, 0, "models", folder)
	for _, name := range []string{"lora", "joined"} {
		path := filepath.Join(folder, name+".gguf")
		_, said := command(t, 2, "sweep", path, "--types", "Q8_0", "--limit", "1", "--quiet")
		oneLine(t, said, wants[path])
	}
	for path, want := range wants {
		assert.Check(t, strings.Contains(listed, want), "%s is not among the problems of the folder", want)
		_, said := command(t, 2, "run", path, "--limit", "1", "--quiet")
		oneLine(t, said, want)
		if strings.Contains(path, "joined") { // its header alone misleads
			_, said := command(t, 2, "inspect", path)
			oneLine(t, said, want)
			continue
		}
		told, said := command(t, 0, "inspect", path)
		assert.Check(t, is.Equal(said, ""))
		assert.Check(t, is.Contains(told, "none: "+want))
		assert.Check(t, !strings.Contains(told, "problem"), told)
	}
}

// command runs a command that must exit with the code.
func command(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	cmd := exec.Command("proctor", args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	ended := err == nil && code == 0 || errors.As(err, &exit) && exit.ExitCode() == code
	assert.Check(t, ended, "proctor %s: %v, want exit code %d\n%s", strings.Join(args, " "), err, code, &said)
	return out.String(), said.String()
}

// oneLine checks that an error is one line, which begins so.
func oneLine(t *testing.T, said, want string) {
	t.Helper()
	one := strings.HasPrefix(said, "proctor: "+want) && strings.Count(said, "\n") == 1
	assert.Check(t, one, "%s\nwant one line: %s", said, want)
}
