package llamatest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ollama/ollama/fs/ggml"
)

// Vocabulary is the tokenizer of a model: its keys and values in GGUF.
type Vocabulary struct {
	values map[string]any
	kinds  []int32 // of the tokens: llama.cpp's enum llama_token_type
}

// With returns the vocabulary with control tokens behind its own.
func (v Vocabulary) With(control ...string) Vocabulary {
	v.values = maps.Clone(v.values)
	v.kinds = slices.Clone(v.kinds)
	tokens, _ := v.values["tokenizer.ggml.tokens"].([]string)
	scores, _ := v.values["tokenizer.ggml.scores"].([]float32)
	tokens, scores = slices.Concat(tokens, control), append(slices.Clone(scores), make([]float32, len(control))...)
	for range control {
		v.kinds = append(v.kinds, kindControl)
	}
	v.values["tokenizer.ggml.tokens"], v.values["tokenizer.ggml.scores"], v.values["tokenizer.ggml.token_type"] = tokens, scores, v.kinds
	return v
}

// Size returns the number of tokens.
func (v Vocabulary) Size() int { return len(v.kinds) }

// Kinds of tokens.
const (
	kindNormal  = 1
	kindUnknown = 2
	kindControl = 3
	kindByte    = 6
)

// VocabularyOf takes the vocabulary of the GGUF model at path.
func VocabularyOf(path string) (Vocabulary, error) {
	file, err := os.Open(path)
	if err != nil {
		return Vocabulary{}, err
	}
	defer file.Close()
	decoded, err := ggml.Decode(file, -1)
	if err != nil {
		return Vocabulary{}, fmt.Errorf("%s: %w", path, err)
	}
	kv := decoded.KV()
	v := Vocabulary{values: map[string]any{}, kinds: kv.Ints("tokenizer.ggml.token_type")}
	for key := range kv.Keys() {
		if strings.HasPrefix(key, "tokenizer.") && key != "tokenizer.chat_template" {
			v.values[key] = kv.Value(key)
		}
	}
	if tokens := kv.Strings("tokenizer.ggml.tokens"); len(tokens) == 0 || len(tokens) != len(v.kinds) {
		return Vocabulary{}, fmt.Errorf("%s: has %d tokens and %d token types: take a model with a whole vocabulary",
			path, len(tokens), len(v.kinds))
	}
	return v, nil
}

// Tokens of [SmallVocabulary] with a meaning of their own.
const (
	smallUnknown = iota
	smallBegin
	smallEnd
)

// SmallVocabulary returns a vocabulary of some 700 tokens in the manner of SentencePiece: every byte, letters, some
// words and all their beginnings. Any text can be written with it.
func SmallVocabulary() Vocabulary {
	var tokens []string
	var scores []float32
	var kinds []int32
	seen := map[string]bool{}
	add := func(token string, score float32, kind int32) {
		if !seen[token] {
			seen[token] = true
			tokens, scores, kinds = append(tokens, token), append(scores, score), append(kinds, kind)
		}
	}
	add("<unk>", 0, kindUnknown)
	add("<s>", 0, kindControl)
	add("</s>", 0, kindControl)
	for b := range 256 {
		add(fmt.Sprintf("<0x%02X>", b), 0, kindByte)
	}
	for _, r := range "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;?!()'\"-+*/=%éß→π漢" {
		add(string(r), -1e6, kindNormal)
	}
	// A piece forms from two that are already there, the highest score first: longer ones must score higher.
	for word := range strings.FieldsSeq(words) {
		letters := []rune("▁" + word)
		for n := 2; n <= len(letters); n++ {
			add(string(letters[:n]), float32(n-20), kindNormal)
		}
	}
	return Vocabulary{kinds: kinds, values: map[string]any{
		"tokenizer.ggml.model":            "llama",
		"tokenizer.ggml.tokens":           tokens,
		"tokenizer.ggml.scores":           scores,
		"tokenizer.ggml.token_type":       kinds,
		"tokenizer.ggml.bos_token_id":     uint32(smallBegin),
		"tokenizer.ggml.eos_token_id":     uint32(smallEnd),
		"tokenizer.ggml.unknown_token_id": uint32(smallUnknown),
		"tokenizer.ggml.add_bos_token":    true,
		"tokenizer.ggml.add_eos_token":    false,
	}}
}

const words = `the of and to in is that for it with as was on be at by this are from or an not have which but one all were
when there can more if out so said what up its about than into them only other time new some could these two may first
then do any like my now over such our man me even most made after also did many off before must well back through years
where much your way down should because long each just state those people too mister how little good world make very
year still see own work men day get here old between both life being under three never know same last another while us
question answer options think step let true false correct therefore`
