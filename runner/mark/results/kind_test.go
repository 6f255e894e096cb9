package results

import (
	"testing"

	"proctor/runner/journal"
)

func TestKinds(t *testing.T) {
	for kind, texts := range map[Kind][]string{
		NoneOfThem: {"None of the above", "none of these.", "Neither of these", "None of the other options are correct", "No correct answer", "none"},
		AllOfThem:  {"All of the above", "Both of these", "all of these.", "All the above", "All of them"},
		Number: {
			"5", "-488°F", "$45,600", "80%", "0.081 liter/mole", "3.45 × 10^-21 J", "1.99 x 10^10 cm/sec", "70.9 g mole^-1", "7 days", "1/2",
			"10 amp", "19.4 in.", "6.02e23", "$ 1,200.50", "about 12 years", "< 0.05", "2.0 $\\mathrm{~m}$", "9.5 $\\mathrm{L}/\\mathrm{min}$",
			"-2.95 kJ mol^{-1}", "8 $\\mu \\mathrm{T}$", "±3", "−5 m/s",
		},
		Formula: {
			"x + y + 5", "[2, 4]", "2e^t - 2 cos t + sin t", "g_m = (1/4)g_e, 15 ft", "(S • ~O) ⊃ Z", "f(x)", "E = mc^2", "$439.00, $459.00, $424.00",
			"O = 32, A = 0", "(1, 0, -2)", "\\frac{1}{2}x", "1,000–2,000", "a+b",
		},
		Sentence: {
			"Stars are smaller than planets.", "Men and women lose hair equally and at the same rate",
			"Is there any reason to believe this?", "neither the tires nor the bicycles.",
		},
		Phrase: {
			"task analysis", "I only", "extraversion", "Feedback.", "Only II and III", "five", "South America", "The bond, by 2.0%",
			"anti parallel.", "Safe practices, Fear, Jealousy, Trivial", "Both men and women", "Nonebelievers", "All mammals",
		},
	} {
		for _, text := range texts {
			if got := KindOf(text); got != kind {
				t.Errorf("%q is a %s, want %s", text, got, kind)
			}
			if got := KindOf("  " + text + " "); got != kind {
				t.Errorf("%q with spaces around is a %s, want %s", text, got, kind)
			}
		}
	}
}

func TestTheOptionIsFoundInThePrompt(t *testing.T) {
	const asks = "Question:\nIs 12 km the correct answer to the question: 'Is 5 the correct answer to the question: 'x'?'?\nOptions:\nA. True\n"
	for name, test := range map[string]struct {
		record journal.Record
		want   Kind
	}{
		"in a prompt": {journal.Record{OptionsOriginal: 4, Prompt: asks}, Number},
		"in a question": {
			journal.Record{OptionsOriginal: 4, Question: "Is µ = 3 the correct answer to the question: 'x'?"}, Formula,
		},
		"of two lines": {
			journal.Record{OptionsOriginal: 4, Prompt: "Q: Is law\nor war the correct answer to the question: 'x'?"}, Phrase,
		},
		"no true-or-false item":  {journal.Record{Prompt: asks}, UnknownKind},
		"in other words":         {journal.Record{OptionsOriginal: 4, Prompt: "Would 12 be right?"}, UnknownKind},
		"without an option":      {journal.Record{OptionsOriginal: 4, Prompt: "Is  the correct answer to the question: 'x'?"}, UnknownKind},
		"prompt that isn't kept": {journal.Record{OptionsOriginal: 4}, UnknownKind},
	} {
		if got := kindAsked(&test.record); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
