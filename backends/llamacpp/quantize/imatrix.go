package quantize

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/gguf"
)

// What llama.cpp's file has for each tensor: the sums of the squares of what each column was multiplied with, and how many rows those
// were. Of experts, each has its own.
const (
	sumsSuffix   = ".in_sum2"
	countsSuffix = ".counts"
)

// importance reads an importance matrix: for each column the mean square of what it is multiplied with. An expert that no token was
// given to has ones, and so has a tensor that nothing is computed with. A file of another model is refused, and one that lacks what the
// plan quantises. Without a path, there is none.
func (p Plan) importance(path string, model *gguf.File) (map[string][]float32, error) {
	if path == "" {
		return nil, nil
	}
	file, err := gguf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("importance matrix: %w", err)
	}
	if kind := file.Text("general.type"); kind != "imatrix" {
		return nil, fmt.Errorf("%s: is not an importance matrix (general.type is %q): give a file of llama-imatrix",
			path, kind)
	}
	all := map[string][]float32{}
	for _, sums := range file.Tensors {
		name, is := strings.CutSuffix(sums.Name, sumsSuffix)
		if !is {
			continue
		}
		of, known := model.Tensor(name)
		if !known {
			return nil, fmt.Errorf("%s: is of another model: %s has no tensor %s", path, model.Path, name)
		}
		counts, counted := file.Tensor(name + countsSuffix)
		matrices := of.Elements / of.Shape[0] / rowsOf(of)
		if !counted || sums.Shape[0] != of.Shape[0] || sums.Elements != of.Shape[0]*matrices || counts.Elements != matrices {
			return nil, fmt.Errorf("%s: does not fit %s: %s has %d matrices of %d columns, the file %v sums and %v counts",
				path, model.Path, name, matrices, of.Shape[0], sums.Shape, counts.Shape)
		}
		if all[name], err = means(file, sums, counts); err != nil {
			return nil, err
		}
	}
	elements, _, _ := gguf.Layout(p.base)
	for _, t := range p.tensors {
		switch {
		case all[t.Name] != nil || elements == 1 || !strings.HasPrefix(t.Name, "blk.") || !isMatrix(t):
		case computed(model, t.Name):
			return nil, fmt.Errorf("%s: has nothing for %s of %s: make it with this model", path, t.Name, model.Path)
		default:
			all[t.Name] = slices.Repeat([]float32{1}, int(t.Elements/rowsOf(t))) // llama.cpp makes no small types without
		}
	}
	return all, nil
}

// rowsOf is how many rows each matrix of a tensor has.
func rowsOf(t gguf.Tensor) int64 {
	if len(t.Shape) < 2 {
		return 1
	}
	return t.Shape[1]
}

// computed says whether anything is computed with a layer's tensor: nothing is with those of layers that predict more than the next
// token, nor with the keys and values of those that use the cache of an earlier layer.
func computed(model *gguf.File, tensor string) bool {
	layer, layers := int64(layerOf(tensor)), model.ArchInt("block_count", 0)-model.ArchInt("nextn_predict_layers", 0)
	own := layer < layers-model.ArchInt("attention.shared_kv_layers", 0)
	return layer < layers && (own || !strings.Contains(tensor, ".attn_k.") && !strings.Contains(tensor, ".attn_v."))
}

// means divides sums by counts.
func means(file *gguf.File, sums, counts gguf.Tensor) ([]float32, error) {
	values, err := file.Floats(sums)
	if err != nil {
		return nil, err
	}
	rows, err := file.Floats(counts)
	if err != nil {
		return nil, err
	}
	for i := range values {
		if n := rows[i/int(sums.Shape[0])]; n > 0 {
			values[i] /= n
		} else {
			values[i] = 1
		}
	}
	return values, nil
}
