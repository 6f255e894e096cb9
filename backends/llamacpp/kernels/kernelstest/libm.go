package kernelstest

// #include <math.h>
import "C"

import "math"

// Function is one of the C library's functions of floats, as the program has it, and Go's of doubles.
type Function struct {
	C        func(float32) float32
	Go       func(float64) float64
	From, To float32 // where it is asked for in tests
}

// Functions are those that ggml and package kernels compute with; of powers, that of -0.7.
var Functions = map[string]Function{
	"cosf":    {func(x float32) float32 { return float32(C.cosf(C.float(x))) }, math.Cos, -1e5, 1e5},
	"erff":    {func(x float32) float32 { return float32(C.erff(C.float(x))) }, math.Erf, -4, 4},
	"expf":    {func(x float32) float32 { return float32(C.expf(C.float(x))) }, math.Exp, -110, 88},
	"exp2f":   {func(x float32) float32 { return float32(C.exp2f(C.float(x))) }, math.Exp2, -100, 100},
	"expm1f":  {func(x float32) float32 { return float32(C.expm1f(C.float(x))) }, math.Expm1, -10, 10},
	"logf":    {func(x float32) float32 { return float32(C.logf(C.float(x))) }, math.Log, 1e-6, 1e6},
	"log1pf":  {func(x float32) float32 { return float32(C.log1pf(C.float(x))) }, math.Log1p, -0.9, 100},
	"log2f":   {func(x float32) float32 { return float32(C.log2f(C.float(x))) }, math.Log2, 1e-6, 1e6},
	"powf":    {func(x float32) float32 { return float32(C.powf(C.float(x), -0.7)) }, power, 1e-3, 1e6},
	"sinf":    {func(x float32) float32 { return float32(C.sinf(C.float(x))) }, math.Sin, -1e5, 1e5},
	"sincosf": {tangent, func(x float64) float64 { return float64(float32(math.Sin(x)) / float32(math.Cos(x))) }, -1e5, 1e5},
	"tanhf":   {func(x float32) float32 { return float32(C.tanhf(C.float(x))) }, math.Tanh, -9, 9},
}

func power(x float64) float64 { return math.Pow(x, float64(float32(-0.7))) }

// tangent is the quotient of both that sincosf gives.
func tangent(x float32) float32 {
	var sine, cosine C.float
	C.sincosf(C.float(x), &sine, &cosine)
	return float32(sine) / float32(cosine)
}
