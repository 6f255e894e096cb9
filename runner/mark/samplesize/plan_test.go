package samplesize

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

// z975 and z80 are the standard normal quantiles at 0.975 and 0.8.
const z975, z80 = 1.959963984540054, 0.8416212335729143

func TestSizesByTheFormulas(t *testing.T) {
	// Wilson's half width at ½ is z/(2√(n+z²)).
	precise := int(math.Ceil(z975*z975/(4*0.05*0.05) - z975*z975))
	detected := int(math.Ceil((z975 + z80) * (z975 + z80) / (0.025 * 0.025) * Discordance))
	for _, test := range []struct {
		name                        string
		aim                         Aim
		available, limit, questions int
		enough                      bool
	}{
		{"a half width", Aim{HalfWidth: 0.05}, 12032, 0, precise, true},
		{"a difference", Aim{Detect: 0.025}, 3000, 0, detected, true},
		{"both take the larger", Aim{HalfWidth: 0.05, Detect: 0.025}, 3000, 0, detected, true},
		{"a set that is just large enough", Aim{HalfWidth: 0.05}, precise, 0, precise, true},
		{"a set that is one question too small", Aim{HalfWidth: 0.05}, precise - 1, 0, precise - 1, false},
		{"large enough for one aim only", Aim{HalfWidth: 0.05, Detect: 0.025}, precise, 0, precise, false},
		{"no aim asks all", Aim{}, 168, 0, 168, true},
		{"a limit is what is asked", Aim{}, 168, 70, 70, true},
		{"a limit above the set", Aim{}, 168, 700, 168, true},
	} {
		test.aim.Confidence = 0.95
		got, err := test.aim.Size(test.available, test.limit)
		assert.NilError(t, err, "%s", test.name)
		assert.Check(t, got.Questions == test.questions && got.Enough == test.enough,
			"%s: %d questions, enough %v; want %d, %v", test.name, got.Questions, got.Enough, test.questions, test.enough)
		n := float64(got.Questions)
		half := z975 / (2 * math.Sqrt(n+z975*z975))
		assert.Check(t, math.Abs(got.Precision.Reached.Or(9)-half) <= 1e-12, "%s: ± %v, want %g", test.name, got.Precision.Reached, half)
		if d := got.Detection; d != nil {
			want := (z975 + z80) * math.Sqrt(Discordance/n)
			assert.Check(t, math.Abs(d.Reached.Or(9)-want) <= 1e-12, "%s: detects %v, want %g", test.name, d.Reached, want)
		}
	}
}

func TestAimsThatNoRunCanHaveAreRefused(t *testing.T) {
	for says, aim := range map[string]Aim{
		"no possible number of questions gives":   {Confidence: 0.95, HalfWidth: 1e-9},
		"cannot differ by more than 8pp":          {Confidence: 0.95, Detect: 0.2},
		"no possible number of questions detects": {Confidence: 0.95, Detect: 1e-9},
	} {
		_, err := aim.Size(100, 0)
		errortest.For(t, aim, err, says)
	}
}
