package llamacpp

import (
	"context"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
)

// A Vocabulary holds the tokens and the chat template of a GGUF model. It implements [backends.Tokenizer] and [backends.Templated]. Without a
// [Model] none of the model's tensors are read, so it opens at once however large they are.
type Vocabulary struct {
	file    *gguf.File
	weights *llama.Model
	closed  bool
	pieces  map[string]int32 // one more than each token, by its text; nil until TokenOf
}

var (
	_ backends.Tokenizer   = (*Vocabulary)(nil)
	_ backends.Templated   = (*Vocabulary)(nil)
	_ backends.Recommender = (*Vocabulary)(nil)
)

// OpenVocabulary checks the header of the model at path and reads its vocabulary with the llama.cpp of a folder, or with the one that is
// compiled in where that is "".
func OpenVocabulary(path, folder string) (*Vocabulary, error) {
	options := Options{Path: path, Settings: backends.Settings{Engine: folder}}
	file, err := options.openSound()
	if err != nil {
		return nil, err
	}
	if err := options.chooseEngine(); err != nil {
		return nil, err
	}
	weights, err := options.library.Load(context.Background(), path, llama.LoadOptions{VocabularyOnly: true})
	if err != nil {
		return nil, err
	}
	return &Vocabulary{file: file, weights: weights}, nil
}

// openSound reads the header of the model, and refuses one that is damaged.
func (o *Options) openSound() (*gguf.File, error) {
	file, err := gguf.Open(o.Path)
	if err != nil {
		return nil, err
	}
	return file, file.Validate()
}

// Tokenize implements [backends.Tokenizer]. It may be called from several goroutines at a time.
func (v *Vocabulary) Tokenize(prompt string) ([]int32, error) {
	if v.closed {
		return nil, backends.ErrClosed
	}
	return v.weights.Tokenize(prompt)
}

// Recommended implements [backends.Recommender].
func (v *Vocabulary) Recommended() *backends.Recommendation { return Recommended(v.file) }

// Recommended is how a file says that its model's tokens are to be drawn; nil where it says nothing.
func Recommended(file *gguf.File) *backends.Recommendation {
	said, order := file.Sampling()
	return backends.Recommend("the file", said, order)
}

// ChatTemplate implements [backends.Templated].
func (v *Vocabulary) ChatTemplate() backends.ChatTemplate {
	bos, eos := v.weights.Marks()
	return backends.ChatTemplate{Text: v.file.ChatTemplate(), BOS: bos, EOS: eos}
}

// VocabularySHA256 implements [backends.Scorer].
func (v *Vocabulary) VocabularySHA256() string {
	return v.weights.VocabularySHA256(v.file.Text("tokenizer.ggml.pre"))
}

// Piece implements [backends.Scorer].
func (v *Vocabulary) Piece(token int32) string { return string(v.weights.Piece(nil, token)) }

// Pieces are the texts of all tokens, as Piece has them.
func (v *Vocabulary) Pieces() []string {
	var all []string
	for token := range v.weights.Tokens() {
		all = append(all, v.Piece(token))
	}
	return all
}

// TokenOf implements [backends.Scorer].
func (v *Vocabulary) TokenOf(piece string) (token int32, found bool) {
	if v.pieces == nil {
		v.pieces = map[string]int32{}
		for token := range v.weights.Tokens() {
			v.pieces[v.Piece(token)] = token + 1 // of equal ones the last: those of single bytes stand first
		}
	}
	token, found = v.pieces[piece]
	return token - 1, found
}

// Close frees the vocabulary. It is safe to call twice, and on nil.
func (v *Vocabulary) Close() error {
	if v != nil && !v.closed {
		v.closed = true
		v.weights.Close()
	}
	return nil
}
