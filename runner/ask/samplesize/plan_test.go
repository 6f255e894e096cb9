package samplesize

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"proctor/runner/ask"
	"proctor/runner/ask/budget"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

// z975 and z80 are the standard normal quantiles at 0.975 and 0.8.
const z975, z80 = 1.959963984540054, 0.8416212335729143

func TestSizesByTheFormulas(t *testing.T) {
	// Wilson's half width at ½ is z/(2√(n+z²)).
	precise := int(math.Ceil(z975*z975/(4*0.05*0.05) - z975*z975))
	detected := int(math.Ceil((z975 + z80) * (z975 + z80) / (0.05 * 0.05) * 0.2))
	for _, test := range []struct {
		name                        string
		aim                         Aim
		available, limit, questions int
		enough                      bool
	}{
		{"a half width", Aim{HalfWidth: 0.05}, 12032, 0, precise, true},
		{"a difference", Aim{Detect: 0.05, Discordance: 0.2}, 3000, 0, detected, true},
		{"both take the larger", Aim{HalfWidth: 0.05, Detect: 0.05, Discordance: 0.2}, 3000, 0, detected, true},
		{"a set that is just large enough", Aim{HalfWidth: 0.05}, precise, 0, precise, true},
		{"a set that is one question too small", Aim{HalfWidth: 0.05}, precise - 1, 0, precise - 1, false},
		{"large enough for one aim only", Aim{HalfWidth: 0.05, Detect: 0.05, Discordance: 0.2}, precise, 0, precise, false},
		{"no aim asks all", Aim{}, 168, 0, 168, true},
		{"a limit is what is asked", Aim{}, 168, 70, 70, true},
		{"a limit above the set", Aim{}, 168, 700, 168, true},
	} {
		test.aim.Confidence, test.aim.Expected = 0.95, WorstCase
		got, err := test.aim.Size(test.available, test.limit)
		assert.NilError(t, err, "%s", test.name)
		assert.Check(t, got.Questions == test.questions && got.Enough == test.enough,
			"%s: %d questions, enough %v; want %d, %v", test.name, got.Questions, got.Enough, test.questions, test.enough)
		n := float64(got.Questions)
		half := z975 / (2 * math.Sqrt(n+z975*z975))
		assert.Check(t, math.Abs(got.Precision.Reached.Or(9)-half) <= 1e-12, "%s: ± %v, want %g", test.name, got.Precision.Reached, half)
		if d := got.Detection; d != nil {
			want := (z975 + z80) * math.Sqrt(0.2/n)
			assert.Check(t, math.Abs(d.Reached.Or(9)-want) <= 1e-12, "%s: detects %v, want %g", test.name, d.Reached, want)
		}
	}
}

func TestAimsThatNoRunCanHaveAreRefused(t *testing.T) {
	for says, aim := range map[string]Aim{
		"no possible number of questions":         {Confidence: 0.95, HalfWidth: 1e-9, Expected: 0.5},
		"needs the discordance":                   {Confidence: 0.95, Detect: 0.01},
		"cannot differ by 20pp":                   {Confidence: 0.95, Detect: 0.2, Discordance: 0.1},
		"no possible number of questions detects": {Confidence: 0.95, Detect: 1e-9, Discordance: 0.1},
	} {
		_, err := aim.Size(100, 0)
		errortest.For(t, aim, err, says)
	}
}

// plans are one of each kind.
func plans(t *testing.T) []Plan {
	t.Helper()
	sized := func(aim Aim, available, limit int) (Aim, Size) {
		aim.Confidence = stats.DefaultConfidence
		size, err := aim.Size(available, limit)
		assert.NilError(t, err)
		return aim, size
	}
	precise, size := sized(Aim{HalfWidth: 0.02, Expected: 0.41}, 12032, 0)
	found, both := sized(Aim{HalfWidth: 0.05, Expected: WorstCase, Detect: 0.01, Discordance: 0.1}, 168, 0)
	plain, limited := sized(Aim{Expected: WorstCase}, 168, 70)
	all := []Plan{
		New("mmlu_pro", "mmlu-pro", precise, size, 1,
			Prompts{Cost: ask.Cost{Questions: 2318, Items: 2318, PromptTokens: 2_900_000, SharedTokens: 520_000}, CountedBy: "q4.gguf"},
			Pace{Output: budget.Length{Tokens: 180, Low: 171, High: 190, Source: "as in runs/q4"}, Prefill: 650, Decode: 90, Source: "runs/q4"}),
		New("mmlu_pro_binary", "sample", found, both, 1,
			Prompts{Cost: ask.Cost{Questions: 168, Items: 1590, PromptTokens: 1_863_152, SharedTokens: 183_382}}, Pace{}),
		New("mmlu_pro", "sample", plain, limited, 4,
			Prompts{Cost: ask.Cost{Questions: 70, Items: 280, PromptTokens: 340_000, SharedTokens: 80_000}},
			Pace{Output: budget.Length{Tokens: 100, Low: 100, High: 100, Source: "as given"}, Prefill: 1000, Decode: 50, Source: "as given"}),
	}
	all[0].Published = true
	return all
}

func TestTheTimeFollowsFromTokensAndSpeeds(t *testing.T) {
	d := plans(t)[2]
	assert.Check(t, math.Abs(d.Time.Seconds.Or(0)-(80_000.0/1000+28_000.0/50)) <= 1e-9, "%v s", d.Time.Seconds)
}

func TestGoldenDesigns(t *testing.T) {
	var text, encoded bytes.Buffer
	assert.NilError(t, Text(&text, plans(t)))
	assert.NilError(t, page.JSON(&encoded, plans(t)))
	assert.Check(t, json.Valid(encoded.Bytes()), "not JSON")
	golden.Assert(t, text.String(), "plans.txt")
	golden.Assert(t, encoded.String(), "plans.json")
}

// kept writes a run of n questions, each answered as say has it, and returns its path.
func kept(t *testing.T, n int, say func(q int, gold string) journaltest.Answer) string {
	t.Helper()
	h, records := journaltest.MCQ(n, func(q, _ int, gold string) journaltest.Answer { return say(q, gold) })
	return journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
}

// rightOf answers a question right if its number modulo 10 is below a limit, and wrong otherwise.
func rightOf(tenths int) func(int, string) journaltest.Answer {
	return func(q int, gold string) journaltest.Answer {
		if q%10 < tenths {
			return journaltest.Answer{Letter: gold}
		}
		return journaltest.Answer{Letter: map[bool]string{true: "B", false: "A"}[gold == "A"]}
	}
}

func TestARunThatDoesNotWorkIsNoBase(t *testing.T) {
	for name, test := range map[string]struct {
		say  func(int, string) journaltest.Answer
		want string // the error's
	}{
		"one that works":  {rightOf(6), ""},
		"no answers":      {func(int, string) journaltest.Answer { return journaltest.Answer{} }, "no answer to any of 400 items"},
		"all wrong":       {rightOf(0), "less than guessing"},
		"one in 20 right": {func(q int, gold string) journaltest.Answer { return rightOf(10*(q%20/19))(q, gold) }, "less than guessing"},
	} {
		base, err := BaseOf(kept(t, 400, test.say))
		expected := 0.0
		if err == nil {
			expected, err = base.Expected()
		}
		if test.want != "" {
			errortest.For(t, name, err, test.want)
			continue
		}
		assert.Check(t, err == nil && expected == 0.6, "%s: %g, %v", name, expected, err)
	}
}

func TestAPlanReckonsWithTheRunsOwnTokensAndTime(t *testing.T) {
	h, records := journaltest.MCQ(100, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Preambles = map[string]string{}
	for i := range records {
		h.Preambles[records[i].Subject] = strings.Repeat("é", 300) // a character each, not a byte
		records[i].Prompt = strings.Repeat("x", 100)
		records[i].Usage.PromptTokens, records[i].Usage.ReusedTokens = 200, 100
	}
	records[0].Prompt = "" // of an imported log
	base, err := BaseOf(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records))
	assert.NilError(t, err)
	assert.Check(t, is.Equal(base.Pace.CharsPerToken, 2.0))
	pace := Pace{Prefill: 100, Decode: 10, Output: budget.Length{Tokens: 5, Low: 5, High: 5}, Efficiency: 0.8}
	plan := New("mmlu_pro", "sample", Aim{}, Size{}, 1, Prompts{Cost: ask.Cost{Items: 20, SharedTokens: 1000}}, pace)
	assert.Check(t, is.Equal(plan.Time.Seconds.Or(0), 25.0))
}

func TestDiscordanceIsTheShareOfFlips(t *testing.T) {
	a, b := kept(t, 400, rightOf(6)), kept(t, 400, func(q int, gold string) journaltest.Answer {
		return rightOf(6)((q+2)%10, gold) // right where q modulo 10 is 0 to 3, 8 or 9
	})
	got, err := DiscordanceOf(a, b)
	assert.Check(t, err == nil && math.Abs(got-0.4) <= 1e-12, "%g, %v; want 0.4", got, err)
	c, err := pairs.Of([]string{a, b}, pairs.Options{})
	assert.Check(t, err == nil && math.Abs(c.Pairs[0].Flips.Or(9)-got) <= 1e-12, "%v, %v", c.Pairs[0].Flips, err)
	_, err = DiscordanceOf(a, a)
	errortest.For(t, "a run and itself", err, "same mark on all 400 questions")
}
