package llamatest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/ollama/ollama/fs/ggml"
	"github.com/x448/float16"
)

// Model describes the model file that [Write] writes.
type Model struct {
	Name         string
	Architecture Architecture // "": Llama
	Vocabulary   Vocabulary
	Shape        Shape
	Seed         uint64
	// Values are further keys of the file, without the name of the architecture before them.
	Values map[string]any
	// Renamed has the names that tensors have in other releases, by theirs here.
	Renamed map[string]string
	// EndAfter makes the model end its text where it would else write this token; 0: it does not end by itself.
	EndAfter int32
	// Infinite is a token whose embedding is infinite; 0: none.
	Infinite int32
	// OutputGain is how far the scores of tokens are spread; 0: so that there is a clear first choice.
	OutputGain float64
}

// Write writes m to path with 16-bit weights. The same m gives the same bytes.
func Write(path string, m Model) error {
	m = m.built()
	return writeFile(path, m.values(), m.tensors())
}

// WriteAdapter writes a LoRA adapter of a rank to path, with random products for the attention's output in each layer of m.
func WriteAdapter(path string, m Model, rank int) error {
	m = m.built()
	var tensors []*ggml.Tensor
	for i := range m.Shape.Layers {
		name := fmt.Sprintf("blk.%d.attn_output.weight.lora_", i)
		tensors = append(tensors, m.tensor(name+"a", "plain", []int{m.Shape.Width, rank}), m.tensor(name+"b", "plain", []int{rank, m.Shape.Width}))
	}
	values := ggml.KV{
		"general.type": "adapter", "general.architecture": string(m.architecture()), "adapter.type": "lora",
		"adapter.lora.alpha": float32(rank),
	}
	return writeFile(path, values, tensors)
}

func writeFile(path string, values ggml.KV, tensors []*ggml.Tensor) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	err = ggml.WriteGGUF(file, values, tensors)
	if err := cmp.Or(err, file.Close()); err != nil {
		return fmt.Errorf("llamatest: writing %s: %w", path, err)
	}
	return nil
}

// output is the matrix of the scores. Tokens with a meaning of their own score zero, which is never the highest, so
// that texts do not end; but see EndAfter.
func (m Model) output() *ggml.Tensor {
	r := rows{silent: func(token int) bool {
		kind := m.Vocabulary.kinds[token]
		return kind == kindControl || kind == kindUnknown
	}}
	if m.EndAfter != 0 {
		r.end, r.like = int(m.Vocabulary.values["tokenizer.ggml.eos_token_id"].(uint32)), int(m.EndAfter)
	}
	return m.random("output.weight", cmp.Or(m.OutputGain, outputGain), r, m.Shape.Width, m.Vocabulary.Size())
}

// embedding is the matrix of what tokens are at first.
func (m Model) embedding(gain float64) *ggml.Tensor {
	return m.random("token_embd.weight", gain, rows{infinite: int(m.Infinite)}, m.Shape.Width, m.Vocabulary.Size())
}

// random is a tensor of random rows, which multiplies the size of what it is given by gain.
func (m Model) random(name string, gain float64, r rows, shape ...int) *ggml.Tensor {
	t := &ggml.Tensor{Name: name, Kind: uint32(ggml.TensorTypeF16)}
	if r.whole {
		t.Kind = uint32(ggml.TensorTypeF32)
	}
	r.in, r.out, r.seed, r.name, r.spread = shape[0], 1, m.Seed, name, gain/math.Sqrt(float64(shape[0]))
	for i, size := range shape {
		t.Shape = append(t.Shape, uint64(size))
		if i > 0 {
			r.out *= size
		}
	}
	t.WriterTo = r
	return t
}

// fixed is a tensor of 32-bit numbers that all have one value.
func fixed(name string, value float32, shape ...int) *ggml.Tensor {
	t := &ggml.Tensor{Name: name, Kind: uint32(ggml.TensorTypeF32)}
	n := 1
	for _, size := range shape {
		n *= size
		t.Shape = append(t.Shape, uint64(size))
	}
	one := binary.LittleEndian.AppendUint32(nil, math.Float32bits(value))
	t.WriterTo = bytes.NewBuffer(bytes.Repeat(one, n))
	return t
}

// rows writes a matrix, row by row, each from a source of its own.
type rows struct {
	in, out int
	seed    uint64
	name    string
	spread  float64
	whole   bool               // 32-bit floats
	silent  func(row int) bool // rows of zeros, where set
	// Row end is row like, a little larger, where end is not 0.
	end, like int
	infinite  int // a row of infinities, where it is not 0
}

// WriteTo writes 16-bit floats, or whole ones.
func (r rows) WriteTo(w io.Writer) (int64, error) {
	hash := fnv.New64a()
	hash.Write([]byte(r.name))
	buf := make([]byte, 0, 4*r.in)
	for row := range r.out {
		from, spread := row, r.spread
		switch {
		case r.end != 0 && row == r.end:
			from, spread = r.like, 1.01*spread
		case r.silent != nil && r.silent(row):
			spread = 0
		case r.infinite != 0 && row == r.infinite:
			spread = math.Inf(1)
		}
		source := rand.New(rand.NewPCG(r.seed, hash.Sum64()+uint64(from)))
		buf = buf[:0]
		for range r.in {
			if value := float32(spread * source.NormFloat64()); r.whole {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(value))
			} else {
				buf = binary.LittleEndian.AppendUint16(buf, float16.Fromfloat32(value).Bits())
			}
		}
		if _, err := w.Write(buf); err != nil {
			return 0, err
		}
	}
	return int64(r.out) * int64(len(buf)), nil
}
