//go:build cgo

package main

import (
	"math"
	"math/rand/v2"
	"strings"
)

// The first component of every embedding starts at constant, so that attention to a place rather than a word has
// something to hold on to.
const constant = 2.0

// Init draws fresh parameters: gains 1, matrices normal with standard deviation 1/sqrt(columns), those that write to
// the residual stream smaller by sqrt(2·layers), embeddings 0.5, the output 0.02; then the first two layers get the
// wiring of lookBack and match (a mimetic start, as in Trockman and Kolter 2023): copying and table look-up begin with
// what stands before a token, and finding that out by chance takes a small model most of its training.
func (s Shape) Init(random *rand.Rand) []float32 {
	params := make([]float32, s.Parameters())
	for _, t := range s.Tensors() {
		part := params[t.From : t.From+t.Len()]
		spread := 1 / math.Sqrt(float64(t.Columns))
		switch {
		case t.Columns == 1:
			for i := range part {
				part[i] = 1
			}
			continue
		case t.Name == "token_embd.weight":
			spread = 0.5
		case t.Name == "output.weight":
			spread = 0.02
		case strings.HasSuffix(t.Name, "ffn_down.weight"), strings.HasSuffix(t.Name, "attn_output.weight"):
			spread /= math.Sqrt(2 * float64(s.Layers))
		}
		for i := range part {
			part[i] = float32(random.NormFloat64() * spread)
		}
		switch t.Name {
		case "token_embd.weight":
			for row := range t.Rows {
				part[row*t.Columns] = constant
			}
		case "blk.0.attn_q.weight":
			s.lookBack(part, 1)
		case "blk.0.attn_k.weight":
			s.lookBack(part, 0)
		}
	}
	if s.Layers > 1 && s.Width >= 4*HeadWidth {
		s.match(params, random)
	}
	return params
}

// lookBack sets the query (step 1) or key (step 0) weights of head h so that their product peaks h+1 tokens back:
// both are the constant component on the fastest rotating pairs, the query turned by h+1 positions.
func (s Shape) lookBack(weights []float32, step int) {
	const pairs, strength = 5, 1.5
	for head := range min(3, s.Width/HeadWidth) {
		rows := weights[head*HeadWidth*s.Width : (head+1)*HeadWidth*s.Width]
		for i := range rows {
			rows[i] *= 0.1
		}
		for pair := range pairs {
			angle := float64(step*(head+1)) * math.Pow(float64(s.RopeBase), -2*float64(pair)/HeadWidth)
			rows[2*pair*s.Width] = float32(strength * math.Cos(angle))
			rows[(2*pair+1)*s.Width] = float32(-strength * math.Sin(angle))
		}
	}
}

// match lets the first layer's heads pass on a sketch of the token they look at (32 of its directions, each head into
// a subspace of its own), and the second layer's first heads compare sketches on the slowly rotating pairs:
//
//	head   seeks a token                          passes on
//	0      that follows one like the current      itself
//	1      two after one like the previous        itself
//	2      like the previous                      what stands three before it
func (s Shape) match(params []float32, random *rand.Rand) {
	const steady, sharp = 14, 1.6
	basis := orthonormal(random, 4*HeadWidth, s.Width)
	sketch, back := basis[:HeadWidth], [3][][]float32{basis[HeadWidth : 2*HeadWidth], basis[2*HeadWidth : 3*HeadWidth], basis[3*HeadWidth:]}
	seeks := [3][2][][]float32{{sketch, back[0]}, {back[0], back[1]}, {back[0], sketch}}
	passes := [3][][]float32{sketch, sketch, back[2]}
	parts := map[string][]float32{}
	for _, t := range s.Tensors() {
		parts[t.Name] = params[t.From : t.From+t.Len()]
	}
	for head := range 3 {
		for i := range HeadWidth {
			row := (head*HeadWidth + i) * s.Width
			for j := range s.Width {
				parts["blk.0.attn_v.weight"][row+j] = sketch[i][j]
				parts["blk.0.attn_output.weight"][j*s.Width+head*HeadWidth+i] = back[head][i][j]
				parts["blk.1.attn_v.weight"][row+j] = passes[head][i][j]
				scale := float32(sharp)
				if i < steady {
					scale = 0
				}
				parts["blk.1.attn_q.weight"][row+j] = scale*seeks[head][0][i][j] + 0.1*parts["blk.1.attn_q.weight"][row+j]
				parts["blk.1.attn_k.weight"][row+j] = scale*seeks[head][1][i][j] + 0.1*parts["blk.1.attn_k.weight"][row+j]
			}
		}
	}
}

// orthonormal draws count perpendicular unit vectors, count <= width, by Gram and Schmidt's method.
func orthonormal(random *rand.Rand, count, width int) [][]float32 {
	list := make([][]float32, count)
	for i := range list {
		v := make([]float64, width)
		for j := range v {
			v[j] = random.NormFloat64()
		}
		for range 2 {
			for _, other := range list[:i] {
				var along float64
				for j := range v {
					along += v[j] * float64(other[j])
				}
				for j := range v {
					v[j] -= along * float64(other[j])
				}
			}
		}
		var square float64
		for _, x := range v {
			square += x * x
		}
		list[i] = make([]float32, width)
		for j := range v {
			list[i][j] = float32(v[j] / math.Sqrt(square))
		}
	}
	return list
}
