package gguf

import (
	"fmt"
	"slices"
)

// Kinds of tokenizers that have no vocabulary: llama.cpp's names.
var withoutVocabulary = []string{"none", "no_vocab"}

// checkVocabulary checks the lists that say what the tokens are. llama.cpp reads them without checking their types and lengths.
func (f *File) checkVocabulary() error {
	name := f.Text(vocabularyKey)
	if _, said := f.values[tokensKey]; name == "" || slices.Contains(withoutVocabulary, name) || !said {
		return nil // llama.cpp refuses it, or does without
	}
	tokens, err := f.list(tokensKey, typeString)
	switch {
	case err != nil:
		return err
	case tokens.length == 0:
		return fmt.Errorf("damaged: the key %q holds no tokens", tokensKey)
	case tokens.twice:
		return fmt.Errorf("damaged: the key %q holds a token twice", tokensKey)
	case name == "rwkv" && tokens.endless:
		return fmt.Errorf("damaged: the key %q lacks tokens of single bytes, without which llama.cpp reads a text for ever", tokensKey)
	}
	for _, each := range []struct {
		key    string
		kinds  []uint32
		length uint64
	}{
		{"tokenizer.ggml.scores", []uint32{typeFloat32}, tokens.length},
		{kindsKey, []uint32{typeInt32, typeUint32}, tokens.length},
		{"tokenizer.ggml.merges", []uint32{typeString}, 0},
		{"tokenizer.ggml.precompiled_charsmap", []uint32{typeInt8, typeUint8}, 0},
	} {
		if _, said := f.values[each.key]; !said {
			continue
		}
		list, err := f.list(each.key, each.kinds...)
		if err != nil {
			return err
		}
		if list.bytes && name == "bert" {
			return fmt.Errorf("damaged: the key %q is %q, whose tokens are words, and the key %q has tokens of single bytes",
				vocabularyKey, name, kindsKey)
		}
		if each.length > 0 && list.length != each.length {
			return fmt.Errorf("damaged: the key %q has %d elements, there are %d tokens", each.key, list.length, each.length)
		}
	}
	return nil
}

// list is the value of a key that must be a list of elements of one of the types.
func (f *File) list(key string, kinds ...uint32) (array, error) {
	a, is := f.values[key].(array)
	if !is || !slices.Contains(kinds, a.kind) {
		return a, fmt.Errorf("damaged: the key %q is not a list of %s", key, typeNames[kinds[0]])
	}
	return a, nil
}

var typeNames = map[uint32]string{
	typeString: "texts", typeFloat32: "32-bit floats", typeInt32: "32-bit integers", typeInt8: "bytes",
}
