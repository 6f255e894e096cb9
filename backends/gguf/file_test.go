package gguf

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

const templateSum = "f24189f08c85a1eb19a737306c3a13e85462ee33d964f28108d64a2485fa2171"

func TestAHeaderSaysWhatTheModelIs(t *testing.T) {
	for _, version := range []uint32{2, 3} {
		h := small()
		h.version = version
		f, err := read(h.bytes())
		assert.NilError(t, err)
		assert.Check(t, f.Architecture() == "llama" && f.Name() == "small" && f.FileType() == "Q4_K_M" && f.ContextLength() == 4096,
			"%s %s %s %d", f.Architecture(), f.Name(), f.FileType(), f.ContextLength())
		assert.Check(t, is.Equal(f.Parameters(), int64(768+256+2048+512)))
		assert.Check(t, is.Equal(f.TensorBytes(), int64(432+1024+2176+288)))
		assert.Check(t, math.Abs(f.BitsPerWeight()-8*3920.0/3584) <= 1e-12, "%v bits per weight", f.BitsPerWeight())
		assert.Check(t, is.DeepEqual(f.Ints("llama.attention.head_count_kv"), []int64{4, 4, 2}))
		assert.Check(t, is.Equal(f.Len("tokenizer.ggml.tokens"), int64(3)))
		// sha256 of "{{ messages }}", by coreutils' sha256sum.
		assert.Check(t, is.Equal(f.ChatTemplateSHA256(), templateSum))
		assert.Check(t, is.DeepEqual(f.Types(), []TypeCount{{8, 1, 2176}, {0, 1, 1024}, {12, 2, 720}}))
	}
}

func TestWhatAHeaderDoesNotSayIsEmpty(t *testing.T) {
	h := small()
	h.pairs = h.pairs[:1]
	f, err := read(h.bytes())
	assert.NilError(t, err)
	assert.Check(t, f.Name() == "x" && f.FileType() == "mostly Q8_0", "%q %q", f.Name(), f.FileType())
	assert.Check(t, f.ContextLength() == 0 && f.ChatTemplateSHA256() == "" && f.Ints("none") == nil && f.Len("none") == 0)
}

func TestFilesThatAreNoModelAreRefused(t *testing.T) {
	folder := t.TempDir()
	for _, test := range []struct{ name, begins, want string }{
		{"empty", "", "the file is empty"},
		{"one byte", "G", `it begins with "G"`},
		{"a zip", "PK\x03\x04....", `it begins with "PK\x03\x04"): is it a zip?`},
		{"gzip", "\x1f\x8b\x08....", "is it gzipped?"},
		{"a text", "hello, world", "give the path of a .gguf file"},
		{"a web page", "<!DOCTYPE html>", "web page"},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1", "git lfs pull"},
		{"safetensors", "\x10\x00\x00\x00\x00\x00\x00\x00{\"a\":1}", "safetensors"},
		{"the format before", "tjgg\x03\x00\x00\x00", "older format"},
		{"the magic alone", "GGUF", "cut short"},
		{"big-endian", "GGUF\x00\x00\x00\x03", "big-endian"},
		{"version 1", "GGUF\x01\x00\x00\x00", "version 1"},
		{"version 4", "GGUF\x04\x00\x00\x00", "version 4 is unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, folder, "x.gguf", []byte(test.begins))
			_, err := Open(path)
			mustRefuse(t, err, test.want)
			mustRefuse(t, err, path+": ")
		})
	}
	for path, want := range map[string]string{
		folder: folder + ": is a directory", filepath.Join(folder, "none"): "no such file", os.DevNull: "not a regular file",
	} {
		_, err := Open(path)
		mustRefuse(t, err, want)
	}
}

func TestDamagedHeadersAreRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*header)
		want   string
	}{
		{"more keys than the file can hold", func(h *header) { h.pairCount = 1 << 60 }, "key/value pairs"},
		{"more tensors than the file can hold", func(h *header) { h.tensorCount = 1 << 60 }, "tensors"},
		{"a key twice", func(h *header) { h.pairs = append(h.pairs, h.pairs[0]) }, `"general.architecture" stands there twice`},
		{"a key without a name", func(h *header) { h.pairs[0].key = "" }, "a key of 0 bytes"},
		{"an unknown type of value", func(h *header) { h.pairs[0].kind = 77 }, "unknown type 77"},
		{"neither true nor false", func(h *header) { h.pairs = append(h.pairs, pair{"b", typeBool, uint8(2)}) }, "neither true nor false"},
		{"a huge array", func(h *header) {
			b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, typeFloat64), 1<<61)
			h.pairs = append(h.pairs, pair{"a", typeArray, b})
		}, "elements"},
		{"an array of arrays of arrays…", func(h *header) {
			var b []byte
			for range 9 {
				b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(b, typeArray), 1)
			}
			h.pairs = append(h.pairs, pair{"a", typeArray, b})
		}, "nests arrays"},
		{"a tensor without a name", func(h *header) { h.tensors[1].name = "" }, "a tensor name of 0 bytes"},
		{"a tensor with five dimensions", func(h *header) { h.tensors[1].shape = []uint64{1, 1, 1, 1, 1} }, "5 dimensions"},
		{"a tensor without any", func(h *header) { h.tensors[1].shape = nil }, "0 dimensions"},
		{"an empty tensor", func(h *header) { h.tensors[1].shape = []uint64{0} }, "a dimension of 0"},
		{"a tensor that no memory holds", func(h *header) { h.tensors[1].shape = []uint64{1 << 40, 1 << 40} }, "impossible shape"},
		{"a tensor of an unknown type", func(h *header) { h.tensors[1].kind = 99 }, "unknown type 99"},
		{"rows that are not whole blocks", func(h *header) { h.tensors[0].shape[0] = 255 }, "multiples of 256"},
		{"a tensor twice", func(h *header) { h.tensors[1].name = h.tensors[0].name }, "stands there twice"},
		{"a tensor out of line", func(h *header) { h.tensors[1].offset++ }, "not at a multiple of 32"},
		{"a tensor beyond the end", func(h *header) { h.tensors[3].offset += 32 }, `tensor "blk.0.ffn_up.weight" ends at byte`},
		{"a tensor beyond all bounds", func(h *header) { h.tensors[3].offset = math.MaxUint64 - 31 }, "cut short"},
		{"an alignment of 3", func(h *header) { h.pairs = append(h.pairs, pair{"general.alignment", typeUint32, uint32(3)}) },
			"alignment of 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := small()
			test.change(&h)
			_, err := read(h.bytes())
			mustRefuse(t, err, test.want)
		})
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	whole := small().bytes()
	for n := range whole {
		_, err := read(whole[:n])
		assert.Assert(t, err != nil, "%d of %d bytes were accepted", n, len(whole))
	}
	_, err := read(whole)
	assert.NilError(t, err)
}

func TestASplitModelIsItsParts(t *testing.T) {
	f, err := Open(parts(t, t.TempDir(), func(int, *header) {}))
	assert.NilError(t, err)
	assert.Check(t, len(f.Parts) == 2 && len(f.Tensors) == 5 && f.Parameters() == 3584+768,
		"%d parts, %d tensors, %d parameters", len(f.Parts), len(f.Tensors), f.Parameters())
}

func TestASplitModelMustBeWhole(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(t *testing.T, folder, first string) (open string)
		want  string
	}{
		{"the second part is missing", func(t *testing.T, folder, first string) string {
			os.Remove(filepath.Join(folder, "m-00002-of-00002.gguf"))
			return first
		}, "part 2 of 2"},
		{"the second part is cut", func(t *testing.T, folder, first string) string {
			os.Truncate(filepath.Join(folder, "m-00002-of-00002.gguf"), 300)
			return first
		}, "cut short"},
		{"the second part is given", func(t *testing.T, folder, first string) string {
			second := filepath.Join(folder, "m-00002-of-00002.gguf")
			h := small()
			h.pairs = append(h.pairs, pair{"split.count", typeUint16, uint16(2)})
			return write(t, folder, filepath.Base(second), h.bytes())
		}, "give the first part"},
		{"it is called something else", func(t *testing.T, folder, first string) string {
			os.Rename(first, filepath.Join(folder, "model.gguf"))
			return filepath.Join(folder, "model.gguf")
		}, "rename the parts"},
		{"the second part is the first once more", func(t *testing.T, folder, first string) string {
			b, err := os.ReadFile(first)
			assert.NilError(t, err)
			write(t, folder, "m-00002-of-00002.gguf", b)
			return first
		}, "is not part 2 of 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			first := parts(t, folder, func(int, *header) {})
			_, err := Open(test.spoil(t, folder, first))
			mustRefuse(t, err, test.want)
		})
	}
	t.Run("a tensor is missing", func(t *testing.T) {
		_, err := Open(parts(t, t.TempDir(), func(part int, h *header) {
			if part == 0 {
				h.tensors = h.tensors[:3]
			}
		}))
		mustRefuse(t, err, "4 tensors, the model has 5")
	})
}

func FuzzRead(f *testing.F) {
	f.Add(small().bytes())
	cut := small().bytes()
	f.Add(cut[:len(cut)/2])
	f.Add(cut[:40])
	wrong := small()
	wrong.tensors[0].shape = []uint64{1 << 62, 1 << 62}
	f.Add(wrong.bytes())
	wrong = small()
	wrong.pairCount = math.MaxUint64
	f.Add(wrong.bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := read(b)
		if err != nil {
			return
		}
		assert.Check(t, file.TensorBytes() >= 0 && file.Parameters() >= 0 && file.BitsPerWeight() >= 0,
			"accepted with %d bytes of %d parameters", file.TensorBytes(), file.Parameters())
		file.Name()
		file.FileType()
		file.ChatTemplateSHA256()
	})
}

// TestAProbeHasTheKindOfItsFile reads probes back, with every type that there is.
func TestAProbeHasTheKindOfItsFile(t *testing.T) {
	var every []Type
	for kind := range layouts {
		every = append(every, kind)
	}
	slices.Sort(every)
	for name, types := range map[string][]Type{"gemma4": every, "": nil, "llama": {12, 0}} {
		whole := ProbeOf(name, "", types...)
		f, err := Read(bytes.NewReader(whole), int64(len(whole)), "probe")
		assert.NilError(t, err)
		assert.Assert(t, f.Architecture() == name && len(f.Tensors) == len(types), "%q with %v: %+v", name, types, f)
		for i, tensor := range f.Tensors {
			assert.Check(t, tensor.Type == types[i] && tensor.Elements == layouts[tensor.Type].block,
				"%q: tensor %d is %+v", name, i, tensor)
		}
		assert.Check(t, bytes.Equal(f.Probe(""), whole), "%q: its own probe is another one", name)
	}
}

// Of the vocabulary, a probe has a pre-tokenizer, which only vocabularies of byte pairs need.
func TestAProbeHasThePreTokenizer(t *testing.T) {
	for _, test := range []struct {
		vocabulary, named string
		want              string
		needed            bool
	}{{"gpt2", "smollm", "smollm", true}, {"gpt2", "", "", true}, {"llama", "default", "", false}, {"", "", "", false}} {
		var w Writer
		w.Text(vocabularyKey, test.vocabulary)
		if test.named != "" {
			w.Text(preTokenizerKey, test.named)
		}
		head := w.Header()
		f, err := Read(bytes.NewReader(head), int64(len(head)), "model")
		assert.NilError(t, err)
		pre, needed := f.PreTokenizer()
		assert.Check(t, pre == test.want && needed == test.needed, "%+v: %q, %t", test, pre, needed)
	}
	whole := ProbeOf("llama", "smollm", 12)
	f, err := Read(bytes.NewReader(whole), int64(len(whole)), "probe")
	assert.Assert(t, err == nil && f.Len(tokensKey) == 1 && bytes.Equal(f.Probe("smollm"), whole), "%+v, %v", f, err)
	pre, needed := f.PreTokenizer()
	assert.Check(t, pre == "smollm" && needed, "%q, %t", pre, needed)
}

// TestTypesOfNewerReleasesAreKnown holds the sizes against what ggml_blck_size and ggml_type_size say in v0.5.0.
func TestTypesOfNewerReleasesAreKnown(t *testing.T) {
	for kind, want := range map[Type]layout{40: {"NVFP4", 64, 36}, 41: {"Q1_0", 128, 18}, 42: {"Q2_0", 64, 18}} {
		assert.Check(t, layouts[kind] == want, "type %d is %+v, want %+v", kind, layouts[kind], want)
	}
}

// A file says how its model's tokens are to be drawn by llama.cpp's keys, in integers or numbers with a fraction.
func TestSampling(t *testing.T) {
	h := small()
	h.pairs = append(h.pairs, text("general.sampling.sequence", "top_k;temperature"), pair{"general.sampling.top_k", typeInt32, int32(20)},
		pair{"general.sampling.temp", typeFloat32, float32(0.5)}, pair{"general.sampling.penalty_last_n", typeInt32, int32(-1)},
		pair{"general.sampling.mirostat", typeInt32, int32(2)}, pair{"general.sampling.xtc_threshold", typeFloat32, float32(0.5)})
	file, err := read(h.bytes())
	assert.NilError(t, err)
	said, order := file.Sampling()
	assert.DeepEqual(t, said, map[string]float64{"top_k": 20, "temperature": 0.5, "repeat_last_n": -1, "mirostat": 2})
	assert.DeepEqual(t, order, []string{"top_k", "temperature"})
	file, err = read(small().bytes())
	assert.NilError(t, err)
	said, order = file.Sampling()
	assert.Check(t, len(said) == 0 && order == nil, "%v, %v", said, order)
}
