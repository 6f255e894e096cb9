package gguf

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"slices"
)

// Tensor is one entry of the list of tensors.
type Tensor struct {
	Name     string
	Type     Type
	Shape    []int64 // elements in each dimension, the fastest running first
	Elements int64
	Bytes    int64

	offset uint64 // of its data, from the beginning of the data section
	place  int64  // of its data in the file
}

const (
	maxDimensions = 4  // ggml's GGML_MAX_DIMS
	maxNameBytes  = 63 // ggml's GGML_MAX_NAME without the closing zero
)

func (f *File) readTensor(r *reader) {
	r.what = "the list of tensors"
	t := Tensor{Name: r.text()}
	dimensions := r.uint32()
	if t.Name == "" || len(t.Name) > maxNameBytes {
		r.fail("damaged: a tensor name of %d bytes", len(t.Name))
		return
	}
	r.what = fmt.Sprintf("tensor %q", t.Name)
	if dimensions == 0 || dimensions > maxDimensions {
		r.fail("damaged: %s has %d dimensions", r.what, dimensions)
		return
	}
	for range dimensions {
		n := r.uint64()
		if n == 0 || n > math.MaxInt64 {
			r.fail("damaged: %s has a dimension of %d", r.what, n)
		}
		t.Shape = append(t.Shape, int64(n))
	}
	t.Type = Type(r.uint32())
	t.offset = r.uint64()
	if r.err != nil {
		return
	}
	if err := t.measure(); err != nil {
		r.fail("%w", err)
		return
	}
	f.Tensors = append(f.Tensors, t)
}

// measure fills in the counts of elements and bytes.
func (t *Tensor) measure() error {
	layout, known := layouts[t.Type]
	if !known {
		return fmt.Errorf("tensor %q has the unknown type %d: the file is damaged, or newer than this program", t.Name, t.Type)
	}
	elements := uint64(1)
	for _, n := range t.Shape {
		high, low := bits.Mul64(elements, uint64(n))
		if high != 0 || low > math.MaxInt64/64 {
			return fmt.Errorf("damaged: tensor %q has an impossible shape %v", t.Name, t.Shape)
		}
		elements = low
	}
	if t.Shape[0]%layout.block != 0 {
		return fmt.Errorf("damaged: tensor %q has rows of %d elements, %s needs multiples of %d",
			t.Name, t.Shape[0], layout.name, layout.block)
	}
	t.Elements = int64(elements)
	t.Bytes = t.Elements / layout.block * layout.bytes
	return nil
}

// defaultAlignment holds where general.alignment is not given.
const defaultAlignment = 32

// place checks that every tensor's data lies aligned and whole within the file.
func (f *File) place(r *reader) error {
	alignment, given := f.Int("general.alignment")
	if !given {
		alignment = defaultAlignment
	}
	if alignment <= 0 || alignment&(alignment-1) != 0 || alignment > 1<<30 {
		return fmt.Errorf("damaged: alignment of %d bytes", alignment)
	}
	start := (r.at + alignment - 1) / alignment * alignment
	f.end = start
	seen := make(map[string]bool, len(f.Tensors))
	for i, t := range f.Tensors {
		if seen[t.Name] {
			return fmt.Errorf("damaged: tensor %q stands there twice", t.Name)
		}
		seen[t.Name] = true
		if t.offset%uint64(alignment) != 0 {
			return fmt.Errorf("damaged: tensor %q begins at byte %d of the data, not at a multiple of %d", t.Name, t.offset, alignment)
		}
		end := float64(start) + float64(t.offset) + float64(t.Bytes) // float: the sum may not fit 64 bits
		if end > float64(f.Size) {
			f.Cut = cmp.Or(f.Cut, fmt.Errorf("%s: cut short: tensor %q ends at byte %.0f, the file has %d: download it again", f.Path, t.Name, end,
				f.Size))
		}
		f.Tensors[i].place = start + int64(t.offset)
		f.end = max(f.end, start+int64(Aligned(int(t.offset)+int(t.Bytes))))
	}
	return nil
}

// Tensor finds a tensor by its name.
func (f *File) Tensor(name string) (t Tensor, found bool) {
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return t, false
	}
	return f.Tensors[i], true
}

// Floats reads the elements of a tensor of type F32 of a file that is not split.
func (f *File) Floats(t Tensor) ([]float32, error) {
	if t.Type != 0 {
		return nil, fmt.Errorf("%s: tensor %q is %s: only F32 is read", f.Path, t.Name, t.Type)
	}
	values := make([]float32, t.Elements)
	return values, f.readData(t, values)
}

// IsZero reports whether all bytes of a tensor of a file that is not split are 0.
func (f *File) IsZero(t Tensor) (bool, error) {
	data := make([]byte, t.Bytes)
	err := f.readData(t, data)
	return !slices.ContainsFunc(data, func(b byte) bool { return b != 0 }), err
}

// readData reads a tensor's data into a slice that is as large as they are.
func (f *File) readData(t Tensor, into any) error {
	if len(f.Parts) > 1 {
		return fmt.Errorf("%s: in %d parts, and tensors are read from one alone: join them with llama-gguf-split --merge",
			f.Path, len(f.Parts))
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := binary.Read(io.NewSectionReader(file, t.place, t.Bytes), binary.LittleEndian, into); err != nil {
		return fmt.Errorf("%s: tensor %q: %w", f.Path, t.Name, err)
	}
	return nil
}

// Parameters returns the number of elements of all tensors.
func (f *File) Parameters() int64 { return f.sum(func(t Tensor) int64 { return t.Elements }) }

// TensorBytes returns the size of all tensors.
func (f *File) TensorBytes() int64 { return f.sum(func(t Tensor) int64 { return t.Bytes }) }

func (f *File) sum(of func(Tensor) int64) (sum int64) {
	for _, t := range f.Tensors {
		sum += of(t)
	}
	return sum
}

// BitsPerWeight returns 8·TensorBytes / Parameters, 0 for a file without tensors.
func (f *File) BitsPerWeight() float64 {
	return 8 * float64(f.TensorBytes()) / float64(max(f.Parameters(), 1))
}
