package stats

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/mathext"
)

// leastFloat is below what a probability is held as an ordinary float64: further down, products and sums lose digits and
// end in 0.
const leastFloat = 1e-290

// Probability is e^ln, also where that is smaller than any float64: such a Number is above 0 for [Number.Scientific], in
// JSON and in comparisons of p-values, while [Number.Get] gives 0. Undefined for NaN; at most 1.
func Probability(ln float64) Number {
	switch x := math.Exp(ln); {
	case math.IsNaN(ln):
		return Undefined
	case x >= leastFloat:
		return Of(min(1, x))
	case math.IsInf(ln, -1):
		return Of(0)
	}
	return Number{ln: ln, defined: true}
}

// log is ln n of a number that is not negative, -Inf for 0.
func (n Number) log() float64 {
	if n.ln != 0 {
		return n.ln
	}
	return math.Log(n.value)
}

// Times is n·factor for a factor above 0.
func (n Number) Times(factor float64) Number {
	if n.ln != 0 {
		return Probability(n.ln + math.Log(factor))
	}
	if !n.defined {
		return Undefined
	}
	return Of(n.value * factor)
}

// Scientific is n = mantissa·10^exponent with 1 ≤ |mantissa| < 10, also where a float64 is 0. Both are 0 for 0 and where n is
// undefined.
func (n Number) Scientific() (mantissa float64, exponent int) {
	if n.ln == 0 && n.value == 0 {
		return 0, 0
	}
	logarithm := n.ln / math.Ln10
	if n.ln == 0 {
		logarithm = math.Log10(math.Abs(n.value))
	}
	exponent = int(math.Floor(logarithm))
	mantissa = math.Pow(10, logarithm-float64(exponent))
	if n.value < 0 {
		mantissa = -mantissa
	}
	return mantissa, exponent
}

// decimal is a tiny probability as JSON has it, 1.23e-517: valid, and 0 only for readers whose numbers end before.
func (n Number) decimal() []byte {
	mantissa, exponent := n.Scientific()
	text := strconv.AppendFloat(nil, mantissa, 'f', 4, 64) // an exponent of hundreds leaves no more digits than these
	return strconv.AppendInt(append(text, 'e'), int64(exponent), 10)
}

// regIncBeta is I_x(a, b), the distribution function of the beta distribution, for a, b > 0 and x in [0, 1], with its
// logarithm kept where it is tiny: I_x(a,b) = x^a(1−x)^b/(a·B(a,b))·(1 + Σ B(a+1,n+1)/B(a+b,n+1)·x^{n+1}) (Abramowitz and
// Stegun 26.5.4), whose terms are all positive.
func regIncBeta(a, b, x float64) Number {
	if p := mathext.RegIncBeta(a, b, x); !(p < leastFloat) || x <= 0 {
		return Of(p)
	}
	sum, term := 1.0, 1.0
	for n := 0.0; term > sum*1e-17; n++ {
		term *= (a + b + n) / (a + 1 + n) * x
		sum += term
	}
	return Probability(a*math.Log(x) + b*math.Log1p(-x) - math.Log(a) - mathext.Lbeta(a, b) + math.Log(sum))
}

// normalTail is P(Z ≥ z), accurate far into the upper tail: there from the asymptotic series (Abramowitz and Stegun 26.2.12).
func normalTail(z float64) Number {
	if p := math.Erfc(z/math.Sqrt2) / 2; !(p < leastFloat) || math.IsInf(z, 1) {
		return Of(p)
	}
	y := 1 / (z * z)
	return Probability(-z*z/2 - math.Log(z*math.Sqrt(2*math.Pi)) + math.Log1p(-y*(1-3*y*(1-5*y))))
}

// studentTail is P(T ≥ t) for Student's t with df degrees of freedom, through the incomplete beta function, which
// keeps its relative precision in the upper tail (Abramowitz and Stegun 26.7.1).
func studentTail(t, df float64) Number {
	tail := regIncBeta(df/2, 0.5, df/(df+t*t)).Times(0.5)
	if t < 0 {
		return Of(1 - tail.value)
	}
	return tail
}

// chiSquaredTail is P(X ≥ x) for χ² with df degrees of freedom; where it is tiny from the continued fraction of the
// incomplete gamma function (Abramowitz and Stegun 26.4.10).
func chiSquaredTail(x, df float64) Number {
	a := df / 2
	if p := mathext.GammaIncRegComp(a, x/2); !(p < leastFloat) || math.IsInf(x, 1) {
		return Of(p)
	}
	x /= 2
	fraction := 0.0
	for n := 200.0; n >= 1; n-- { // from the far end; x is hundreds here, where tens of terms would do
		fraction = n * (n - a) / (x + 2*n + 1 - a - fraction)
	}
	logGamma, _ := math.Lgamma(a)
	return Probability(a*math.Log(x) - x - logGamma - math.Log(x+1-a-fraction))
}
