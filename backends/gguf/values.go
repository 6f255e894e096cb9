package gguf

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Types of values, as the format numbers them.
const (
	typeUint8 uint32 = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeString
	typeArray
	typeUint64
	typeInt64
	typeFloat64
)

// minValueBytes is the size of a value, or of the shortest one where sizes differ.
var minValueBytes = map[uint32]uint64{
	typeUint8: 1, typeInt8: 1, typeUint16: 2, typeInt16: 2, typeUint32: 4, typeInt32: 4, typeFloat32: 4, typeBool: 1,
	typeString: 8, typeArray: 12, typeUint64: 8, typeInt64: 8, typeFloat64: 8,
}

// keptNumbers is how many numbers of an array are kept: enough for per-layer settings, not for vocabularies.
const keptNumbers = 4096

// deepest bounds arrays of arrays, which the format allows and nobody writes.
const deepest = 4

// array stands for an array value: the type of its elements, how many there are, and they themselves where they are few numbers.
type array struct {
	kind    uint32
	length  uint64
	numbers []any

	// Of the vocabulary's tokens:
	twice   bool // two are the same text
	endless bool // a byte begins some and is none itself, as RWKV's are written

	bytes bool // of the vocabulary's kinds of tokens: some are single bytes
}

// Keys of the vocabulary: its kind, how a text is split before tokens are joined, its tokens, and of what kind those are.
const (
	vocabularyKey   = "tokenizer.ggml.model"
	preTokenizerKey = "tokenizer.ggml.pre"
	tokensKey       = "tokenizer.ggml.tokens"
	kindsKey        = "tokenizer.ggml.token_type"
)

// bytePairs is the kind of vocabulary that a text is split for.
const bytePairs = "gpt2"

// byteToken is llama.cpp's LLAMA_TOKEN_TYPE_BYTE.
const byteToken = 6

func (f *File) readPair(r *reader) {
	r.what = "the list of keys"
	key := r.text()
	if key == "" || len(key) > 65535 {
		r.fail("damaged: a key of %d bytes", len(key))
		return
	}
	if _, twice := f.values[key]; twice {
		r.fail("damaged: the key %q stands there twice", key)
		return
	}
	r.what = fmt.Sprintf("the key %q", key)
	r.distinct, r.kinds = key == tokensKey, key == kindsKey
	value := r.value(r.uint32(), 0)
	if r.err == nil {
		f.values[key] = value
	}
}

func (r *reader) value(kind uint32, depth int) any {
	switch kind {
	case typeUint8, typeUint16, typeUint32, typeUint64:
		return r.uint(minValueBytes[kind])
	case typeInt8, typeInt16, typeInt32, typeInt64:
		unused := 64 - 8*minValueBytes[kind]
		return int64(r.uint(minValueBytes[kind])<<unused) >> unused // with its sign
	case typeFloat32:
		return float64(math.Float32frombits(r.uint32()))
	case typeFloat64:
		return math.Float64frombits(r.uint64())
	case typeBool:
		b := r.uint(1)
		if b > 1 {
			r.fail("damaged: %s is neither true nor false (%d)", r.what, b)
		}
		return b == 1
	case typeString:
		return r.text()
	case typeArray:
		return r.array(depth + 1)
	}
	r.fail("damaged: %s has a value of the unknown type %d", r.what, kind)
	return nil
}

func (r *reader) array(depth int) any {
	kind, n := r.uint32(), r.uint64()
	least, known := minValueBytes[kind]
	switch {
	case !known:
		r.fail("damaged: %s is an array of the unknown type %d", r.what, kind)
		return nil
	case depth > deepest:
		r.fail("damaged: %s nests arrays more than %d deep", r.what, deepest)
		return nil
	}
	a := array{kind: kind, length: n}
	take := func() { a.numbers = append(a.numbers, r.value(kind, depth)) }
	switch {
	case kind == typeString && r.distinct:
		r.tokens(&a)
		return a
	case kind == typeString:
		take = func() { r.skip(r.length()) }
	case kind == typeArray:
		take = func() { r.array(depth + 1) }
	case r.kinds && (kind == typeInt32 || kind == typeUint32):
		take = func() { a.bytes = r.uint32() == byteToken || a.bytes }
	case n > keptNumbers:
		take = func() { r.skip(least) }
	}
	r.each(n, least, "elements", take)
	return a
}

// tokens takes the texts of a vocabulary. llama.cpp gives those that are empty names of their own.
func (r *reader) tokens(a *array) {
	seed := maphash.MakeSeed()
	var sums []uint64 // 8 bytes a text, less than it takes in the file
	var begins, alone [256]bool
	r.each(a.length, minValueBytes[typeString], "elements", func() {
		if sums == nil {
			sums = make([]uint64, 0, a.length)
		}
		text := r.text()
		if text == "" {
			return
		}
		sums = append(sums, maphash.String(seed, text))
		first, only := firstByte(text)
		begins[first] = true
		alone[first] = alone[first] || only
	})
	slices.Sort(sums)
	a.twice, a.endless = len(slices.Compact(sums)) < len(sums), begins != alone
}

// firstByte is the first byte of a token as RWKV's are written, with \t, \n, \r and \x00, and whether it is the only one.
func firstByte(text string) (first byte, only bool) {
	if text[0] != '\\' || len(text) == 1 {
		return text[0], len(text) == 1
	}
	if text[1] != 'x' {
		return cmp.Or(map[byte]byte{'t': '\t', 'n': '\n', 'r': '\r'}[text[1]], text[1]), len(text) == 2
	}
	n, _ := strconv.ParseUint(text[2:min(4, len(text))], 16, 8)
	return byte(n), len(text) == 4
}

// Text returns the value of a key that holds a text, else "".
func (f *File) Text(key string) string {
	s, _ := f.values[key].(string)
	return s
}

// Int returns the value of a key that holds an integer.
func (f *File) Int(key string) (int64, bool) { return integer(f.values[key]) }

// Float returns the value of a key that holds a number with a fraction.
func (f *File) Float(key string) (float64, bool) {
	v, ok := f.values[key].(float64)
	return v, ok
}

// Ints returns the value of a key that holds an integer, or one for each layer.
func (f *File) Ints(key string) []int64 {
	if n, ok := integer(f.values[key]); ok {
		return []int64{n}
	}
	a, _ := f.values[key].(array)
	var all []int64
	for _, v := range a.numbers {
		n, ok := integer(v)
		if !ok {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// Len returns the number of elements of a key that holds an array, else 0.
func (f *File) Len(key string) int64 {
	a, _ := f.values[key].(array)
	return int64(a.length)
}

func integer(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case uint64:
		return int64(n), n <= 1<<63-1
	}
	return 0, false
}

// Architecture returns the name of the model's architecture, such as "llama".
func (f *File) Architecture() string { return f.Text("general.architecture") }

// Name returns the model's own name, else its file's without the ending.
func (f *File) Name() string {
	if name := strings.TrimSpace(f.Text("general.name")); name != "" {
		return name
	}
	return strings.TrimSuffix(filepath.Base(f.Path), ".gguf")
}

// PreTokenizer returns the name of the way in which a text is split before its tokens are joined, "" where the file names none. needed is
// false for vocabularies that have no such way.
func (f *File) PreTokenizer() (name string, needed bool) {
	if f.Text(vocabularyKey) != bytePairs {
		return "", false
	}
	return f.Text(preTokenizerKey), true
}

// ContextLength returns the tokens the model was trained for; 0 where the file does not say.
func (f *File) ContextLength() int {
	n, _ := f.Int(f.Architecture() + ".context_length")
	return int(n)
}

// ChatTemplate returns the model's own template in Jinja, "" where it has none.
func (f *File) ChatTemplate() string { return f.Text("tokenizer.chat_template") }

// ChatTemplateSHA256 returns the digest of the template in hexadecimal, "" where there is none.
func (f *File) ChatTemplateSHA256() string {
	text := f.ChatTemplate()
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// ArchInt returns a number that the file has under a key of its architecture, such as "block_count", else otherwise.
func (f *File) ArchInt(key string, otherwise int64) int64 {
	if n, ok := f.Int(f.Architecture() + "." + key); ok {
		return n
	}
	return otherwise
}

// LayerInt returns for a layer a number that the file has under such a key once, or for each layer.
func (f *File) LayerInt(key string, layer int, otherwise int64) int64 {
	switch all := f.Ints(f.Architecture() + "." + key); {
	case len(all) == 1:
		return all[0]
	case layer < len(all):
		return all[layer]
	}
	return otherwise
}

// samplingKeys are llama.cpp's keys of how a model's tokens are to be drawn, and what its server calls the same.
var samplingKeys = map[string]string{
	"top_k": "top_k", "top_p": "top_p", "min_p": "min_p", "temp": "temperature", "penalty_repeat": "repeat_penalty",
	"penalty_last_n": "repeat_last_n", "xtc_probability": "xtc_probability", "mirostat": "mirostat",
}

// Sampling returns how the file says that tokens are to be drawn, by the names of llama.cpp's server: numbers, and the samplers in their order,
// nil where it says none.
func (f *File) Sampling() (said map[string]float64, order []string) {
	said = map[string]float64{}
	for key, name := range samplingKeys {
		if n, is := f.Int("general.sampling." + key); is {
			said[name] = float64(n)
		} else if x, is := f.Float("general.sampling." + key); is {
			said[name] = x
		}
	}
	if text := f.Text("general.sampling.sequence"); text != "" {
		order = strings.Split(text, ";")
	}
	return said, order
}
