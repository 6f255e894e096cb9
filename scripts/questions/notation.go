package questions

import (
	"fmt"
	"strings"
)

// number is a figure as exercises print them.
func (s Source) number() string {
	switch s.IntN(12) {
	case 0, 1, 2:
		return fmt.Sprint(s.between(0, 20))
	case 3, 4, 5:
		return fmt.Sprint(s.between(10, 999))
	case 6:
		return fmt.Sprintf("%d.%d", s.between(0, 99), s.between(0, 9))
	case 7:
		return fmt.Sprintf("0.%0*d", s.between(1, 4), s.between(1, 99))
	case 8:
		return fmt.Sprintf("%d,%03d", s.between(1, 99), s.between(0, 99)*10)
	case 9:
		return fmt.Sprintf("%d.%02d × 10^%d", s.between(1, 9), s.between(0, 99), s.between(-9, 9))
	case 10:
		return fmt.Sprintf("$%d,%03d", s.between(1, 99), s.between(0, 9)*100)
	}
	return fmt.Sprintf("%d/%d", s.between(1, 12), s.between(2, 24))
}

var symbols = strings.Fields(`x y z n k a b c f g h p q r t m V T P Q R S A B G \alpha \beta \theta \lambda \mu \pi \sigma \omega \phi`)
var greek = strings.Fields("π θ λ μ σ ω Δ α β γ ρ Ω φ")

func (s Source) symbol() string { return choose(s, symbols...) }

// tex is a scrap of LaTeX or of plain mathematical notation.
func (s Source) tex() string {
	switch s.IntN(13) {
	case 0:
		return "$" + s.symbol() + "$"
	case 1:
		return fmt.Sprintf("$%s = %d$", s.symbol(), s.between(0, 99))
	case 2:
		return fmt.Sprintf(`$\frac{%d}{%d}$`, s.between(1, 20), s.between(2, 30))
	case 3:
		return fmt.Sprintf(`$%s^{%d} + %d%s$`, s.symbol(), s.between(2, 5), s.between(2, 9), s.symbol())
	case 4:
		return fmt.Sprintf(`$\sqrt{%d}$`, s.between(2, 99))
	case 5:
		return fmt.Sprintf("%d%s^%d + %d%s - %d = 0", s.between(2, 9), "x", s.between(2, 4), s.between(1, 9), "x", s.between(1, 99))
	case 6:
		return fmt.Sprintf("%s(%s)", choose(s, "f", "g", "p", "F", "log", "sin", "cos", "ln"), choose(s, "x", "t", "n", "0", "2x", "x, y"))
	case 7:
		return fmt.Sprintf(`$%d \times 10^{%d} \mathrm{~%s}$`, s.between(1, 9), s.between(-12, 12),
			choose(s, "m", "kg", "J", "V", "W", "cm", "mol"))
	case 8:
		return fmt.Sprintf("%s%s", choose(s, greek...), choose(s, "", "₁", "²", " = "+s.number()))
	case 9:
		return fmt.Sprintf("(%s %s %s) %s %s", s.logic(), choose(s, "•", "∨", "⊃", "≡"), s.logic(), choose(s, "•", "∨", "⊃", "≡"), s.logic())
	case 10:
		return fmt.Sprintf(`\[ \int_{%d}^{%d} %s^{%d} d%s \]`, s.between(0, 3), s.between(4, 9), "x", s.between(2, 6), "x")
	case 11:
		return fmt.Sprintf("[%s]", s.list(s.between(2, 6)))
	}
	return fmt.Sprintf("%s = %s", choose(s, "P", "Q", "k", "i", "dy/dx", "E", "I", "v", "T", "pH"), s.number())
}

func (s Source) logic() string {
	return choose(s, "", "~") + choose(s, "A", "B", "C", "H", "L", "P", "Q", "S", "Fx", "Gx", "(∃x)Dx", "(x)Bx")
}

func (s Source) list(n int) string {
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = fmt.Sprint(s.between(-20, 99))
	}
	return strings.Join(numbers, ", ")
}

var elements = strings.Fields("H C N O S P F Cl Br I Na K Ca Mg Fe Cu Zn Al Ag Pb Ba Li Mn")

// formula is a chemical formula, a scrap of code or a sequence of letters.
func (s Source) formula() string {
	switch s.IntN(5) {
	case 0:
		return fmt.Sprintf("%s = %s(%s)", s.pseudoword(), s.pseudoword(), s.list(2))
	case 1:
		return fmt.Sprintf("%s_{%d}%s", choose(s, elements...), s.between(2, 6), choose(s, elements...))
	case 2:
		return strings.Repeat(choose(s, "_", "-", "."), s.between(3, 12))
	}
	var b strings.Builder
	for range s.between(2, 4) {
		b.WriteString(choose(s, elements...))
		if s.chance(0.5) {
			fmt.Fprint(&b, s.between(2, 12))
		}
	}
	return b.String()
}
