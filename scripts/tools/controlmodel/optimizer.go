package main

/*
#include "model.h"
*/
import "C"

import (
	"math"
	"strings"
	"sync"
)

// Optimizer updates the parameters: matrices inside the layers by Muon (Jordan et al. 2024), which learns these tasks in
// half as many steps, embeddings, output and gains by AdamW (Loshchilov and Hutter 2019). First holds the momentum of
// both, Second the squares that only AdamW needs.
type Optimizer struct {
	First, Second []float32
	Steps         int // taken so far
}

const (
	clip  = 1.0  // largest norm of the gradient
	decay = 0.05 // of weights, times the rate; gains do not decay

	beta1, beta2, epsilon    = 0.9, 0.98, 1e-8 // AdamW
	momentum, rootMeanSquare = 0.95, 0.4       // Muon
)

// Step updates params by the gradient, clipped, and returns the norm before clipping.
func (o *Optimizer) Step(s Shape, params, grads []float32, rate float64) float64 {
	o.Steps++
	norm := math.Sqrt(float64(C.squares(C.size_t(len(grads)), floats(grads))))
	scale := min(1, clip/norm)
	var group sync.WaitGroup
	for _, t := range s.Tensors() {
		if t.Columns > 1 && strings.HasPrefix(t.Name, "blk.") {
			group.Go(func() { o.muon(t, params, grads, rate, scale) })
			continue
		}
		o.adamw(t, params, grads, rate, scale)
	}
	group.Wait()
	return norm
}

func (o *Optimizer) muon(t Tensor, params, grads []float32, rate, scale float64) {
	from, to := t.From, t.From+t.Len()
	C.muon(C.int(t.Rows), C.int(t.Columns), floats(params[from:to]), floats(grads[from:to]), floats(o.First[from:to]),
		C.float(rate), momentum, rootMeanSquare, decay, C.float(scale))
}

func (o *Optimizer) adamw(t Tensor, params, grads []float32, rate, scale float64) {
	from, to := t.From, t.From+t.Len()
	pull := decay
	if t.Columns == 1 {
		pull = 0
	}
	correct1 := 1 / (1 - math.Pow(beta1, float64(o.Steps)))
	correct2 := 1 / (1 - math.Pow(beta2, float64(o.Steps)))
	C.adamw(C.size_t(t.Len()), floats(params[from:to]), floats(grads[from:to]), floats(o.First[from:to]), floats(o.Second[from:to]),
		C.float(rate), beta1, beta2, epsilon, C.float(pull), C.float(correct1), C.float(correct2), C.float(scale))
}

// Accumulate adds from to into.
func Accumulate(into, from []float32) {
	C.accumulate(C.size_t(len(into)), floats(into), floats(from))
}
