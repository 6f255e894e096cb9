package items_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/report/items"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func where(t *testing.T, texts ...string) items.Filter {
	t.Helper()
	var f items.Filter
	for _, text := range texts {
		assert.NilError(t, f.Set(text))
	}
	return f
}

func TestAFilterTakesTheItemsThatItSays(t *testing.T) {
	run := exam(t)
	for filter, want := range map[string]string{
		"tag=NO_ANSWER":                     "104",
		"tag=wrong_answer":                  "105 108",
		"tag=none":                          "100 103 106 101 107",
		"tag!=none,tag!=ADAPTER_ERROR":      "104 105 108",
		"tag=NO_ANSWER|WRONG_ANSWER":        "104 105 108",
		"tag!=NO_ANSWER|none":               "102 105 108",
		"cause=LENGTH":                      "104",
		"cause=timeout":                     "102",
		"cause=none,right=no":               "105 108",
		"subject=bio":                       "100 103 106",
		`"subject=law",right=no`:            "104",
		"letter=none":                       "104 102",
		"letter=a":                          "100 105",
		"gold=A":                            "100",
		"rule=answer-is,letter=A":           "100 105",
		"rule=answer-colon":                 "108",
		"rule!=answer-is,rule!=none":        "108",
		"right=yes":                         "100 103 106 101 107",
		"right=NO":                          "104 102 105 108",
		"id=102":                            "102",
		"id=mmlu_pro/102|104":               "104 102",
		"id!=102,subject=math":              "105 108",
		"task=mcq,task=mmlu-pro,id=100":     "100",
		" tag = NO_ANSWER , subject = law ": "104",
		`right=no, "subject=law"`:           "104",
	} {
		var got []string
		for row, err := range open(t, items.Options{Where: where(t, filter)}, run).Rows() {
			assert.NilError(t, err)
			got = append(got, strings.TrimPrefix(row.ID, "mmlu_pro/"))
		}
		assert.Check(t, strings.Join(got, " ") == want, "%s: %s; want %s", filter, strings.Join(got, " "), want)
	}
	n := open(t, items.Options{Where: where(t, "right=no", "subject=law")}, run).Len()
	assert.Check(t, n == 1, "two filters take %d items", n)
}

func TestAFilterTakesTheItemsThatAskAboutAnOption(t *testing.T) {
	h := journaltest.Header("mmlu_pro_binary")
	var records []journal.Record
	for i, text := range []string{"12 km", "x + 1 = y", "war", "None of the above"} {
		gold := map[bool]string{true: "A", false: "B"}[i == 1]
		r := journaltest.Record(&h, 70, "math", journaltest.Letter(i), 2, gold, journaltest.Answer{Letter: "A"})
		r.OptionsOriginal, r.Prompt = 4, "Is "+text+" the correct answer to the question: 'Which?'?"
		records = append(records, r)
	}
	run := keep(t, h, records)
	for filter, want := range map[string]string{
		"variant=c":              "C",
		"variant!=C":             "A B D",
		"kind=number":            "A",
		"kind=formula|phrase":    "B C",
		"kind=none of the above": "D",
		"kind=none_of_the_above": "D",
		"kind=none":              "",
	} {
		var got []string
		for row, err := range open(t, items.Options{Where: where(t, filter)}, run).Rows() {
			assert.NilError(t, err)
			got = append(got, row.Variant)
		}
		assert.Check(t, strings.Join(got, " ") == want, "%s: %s; want %s", filter, strings.Join(got, " "), want)
	}
	for filter, want := range map[string]string{
		"variant=K": `there is no "K"; there are A, B, C, D, none`,
		"kind=poem": `there is no "poem"; there are number, formula, phrase, sentence, none_of_the_above, all_of_the_above, none`,
	} {
		_, err := items.Open([]string{run}, items.Options{Where: where(t, filter)})
		errortest.For(t, filter, err, want)
	}
}

func TestABadFilterNamesWhatThereIs(t *testing.T) {
	run := exam(t)
	for filter, want := range map[string]string{
		"":          `--where "": give KEY=VALUE, as in tag=NO_ANSWER`,
		"tag":       "--where tag: give KEY=VALUE, as in tag=NO_ANSWER",
		"tag=":      "--where tag=: give KEY=VALUE",
		"tag=none,": "--where : give KEY=VALUE",
		"colour=red": `--where colour=red: there is no key "colour"; there are tag, cause, subject, letter, gold, rule, right, variant, ` +
			`kind, id, task`,
		"tag=WRONG": `--where tag=WRONG: there is no "WRONG"; there are WRONG_ANSWER, NO_ANSWER, ADAPTER_ERROR, HARNESS_ERROR, none`,
		"cause=FLU": `there is no "FLU"; there are LENGTH, LOOP, EMPTY, NO_LETTER, STOP, ECHO, THINK_UNCLOSED, REFUSED, TOOL_CALL, CTX_TRUNCATED, ` +
			`OVERSIZE, TIMEOUT, CONNECTION, AUTH, QUOTA, GONE, OOM, ENGINE, CRASH, none`,
		"subject=alch": `unknown subject "alch"; there are biology, law, math`,
		"letter=Z":     `there is no "Z"; there are A, B, C, D, E, F, G, none`,
		"gold=none":    `there is no "none"; there are A, B, C, D, E, F, G`,
		"rule=vibes":   `there is no "vibes"; there are answer-is, answer-colon, last-capital, none`,
		"right=maybe":  `there is no "maybe"; there are yes, no`,
		"id=99":        `there is no item "99"; the nearest are mmlu_pro/100, mmlu_pro/101, mmlu_pro/102`,
		"kind=number":  "only items that are true or false, as mmlu_pro_binary's, ask about one option",
		"variant=C":    `there is no "C"; there are none`,
		"task=binary":  `there is no "binary"; there are mmlu_pro`,
		"task=":        "give KEY=VALUE",
		`subject=a"b`:  `unknown subject "a\"b"`,
	} {
		var f items.Filter
		err := f.Set(filter)
		if err == nil {
			_, err = items.Open([]string{run}, items.Options{Where: f})
		}
		errortest.For(t, filter, err, want)
	}
}

func TestAFilterOfARunWithOneItemOrNone(t *testing.T) {
	h, records := journaltest.MCQ(1, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	assert.Check(t, is.Equal(open(t, items.Options{Where: where(t, "subject="+records[0].Subject)}, keep(t, h, records)).Len(), 1))
	for filter, want := range map[string]string{
		"letter=A": `there is no "A"; there are none`,
		"id=7":     `there is no item "7": the run has none`,
	} {
		_, err := items.Open([]string{keep(t, h, nil)}, items.Options{Where: where(t, filter)})
		assert.Check(t, err != nil && strings.HasSuffix(err.Error(), want), "%s of a run without items: %v; want %s", filter, err, want)
	}
}
