package llamatest

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ollama/ollama/fs/ggml"
)

//go:embed tensors.txt
var table string

// groups are the rows of tensors.txt, in words, by the name of their group.
var groups = func() map[string][][]string {
	all, name := map[string][][]string{}, ""
	for line := range strings.Lines(table) {
		switch words := strings.Fields(line); {
		case len(words) == 0 || words[0] == "#":
		case len(words) == 1:
			name = words[0]
		default:
			all[name] = append(all[name], words)
		}
	}
	return all
}()

// groups names the groups of tensors, as tensors.txt has them, of layer i.
func (f family) groups(i, layers int) string {
	all := []string{f.All, f.Later}
	if i == 0 {
		all[1] = f.First
	}
	if len(f.Turns) > 0 {
		all = append(all, f.Turns[i%len(f.Turns)])
	}
	if i < layers-layers/2 {
		all = append(all, f.Early)
	}
	return strings.Join(all, " ")
}

// layer are the tensors of layer i.
func (m Model) layer(i int) []*ggml.Tensor {
	var all []*ggml.Tensor
	sizes := m.sizes(i)
	for group := range strings.FieldsSeq(m.family().groups(i, m.Shape.Layers)) {
		switch {
		case group == "forward" && m.Shape.Experts > 0:
			group = "experts"
		case group == "forward":
			group = "dense"
		case strings.HasPrefix(group, "shared_") && m.Shape.Experts == 0:
			continue
		}
		if groups[group] == nil {
			panic("llamatest: tensors.txt has no group " + group)
		}
		for _, row := range groups[group] {
			name, whole := strings.CutPrefix(row[0], "/")
			if !whole {
				name = fmt.Sprintf("blk.%d.%s", i, name)
			}
			var shape []int
			for _, size := range row[2:] {
				shape = append(shape, computed(size, sizes))
			}
			all = append(all, m.tensor(name, row[1], shape))
		}
	}
	return all
}

// computed is a size such as 2*width+head.
func computed(size string, sizes map[string]int) (sum int) {
	for term := range strings.SplitSeq(size, "+") {
		product := 1
		for factor := range strings.SplitSeq(term, "*") {
			n, known := sizes[factor]
			if !known {
				var err error
				if n, err = strconv.Atoi(factor); err != nil {
					panic("llamatest: tensors.txt or architectures.yaml has an unknown size " + factor)
				}
			}
			product *= n
		}
		sum += product
	}
	return sum
}

// tensor has numbers of one of the kinds that tensors.txt names.
func (m Model) tensor(name, kind string, shape []int) *ggml.Tensor {
	switch kind {
	case "weights":
		return m.random(name, layerGain, rows{}, shape...)
	case "queries":
		return m.random(name, attentionGain, rows{}, shape...)
	case "plain":
		return m.random(name, 1, rows{}, shape...)
	case "tied":
		return m.random(name, tiedGain, rows{}, shape...)
	case "positions":
		return m.random(name, embeddingGain*math.Sqrt(float64(m.Shape.Width)), rows{}, shape...)
	case "exact":
		return m.random(name, layerGain, rows{whole: true}, shape...)
	case "plain_exact":
		return m.random(name, 1, rows{whole: true}, shape...)
	case "added":
		return m.random(name, addedGain*math.Sqrt(float64(shape[0])), rows{whole: true}, shape...)
	}
	value, known := map[string]float32{"ones": 1, "zeros": 0, "halves": 0.5, "minus": -1, "gains": attentionGain}[kind]
	if !known {
		panic("llamatest: tensors.txt has numbers of an unknown kind " + kind)
	}
	return fixed(name, value, shape...)
}
