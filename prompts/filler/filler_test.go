package filler_test

import (
	"strings"
	"testing"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/filler"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

// words counts a token for the beginning and one for each word.
func words(text string) (int, error) { return 1 + len(strings.Fields(text)), nil }

func items(t *testing.T, set *dataset.Set, style, taskName string) []prompts.Item {
	t.Helper()
	parsed, err := task.Parse(taskName, set.Subjects())
	if err != nil {
		t.Fatal(err)
	}
	written, err := prompts.LookupStyle(style)
	if err != nil {
		t.Fatal(err)
	}
	all, err := prompts.Eval{Task: parsed[0], Style: written, Shots: 1}.Items(set, set.Test)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFillerIsAsLongAsItShouldAndOfOtherSubjects(t *testing.T) {
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, style := range []string{"tiger@1", "evalscope@1", "binary@1"} {
		asked := "mmlu_pro"
		if style == "binary@1" {
			asked = "mmlu_pro_binary"
		}
		plain := items(t, set, style, asked)
		filled, err := filler.Fill(plain, set, 7, 500, words)
		if err != nil {
			t.Fatal(err)
		}
		again, err := filler.Fill(plain, set, 7, 500, words)
		if err != nil {
			t.Fatal(err)
		}
		other, err := filler.Fill(plain, set, 8, 500, words)
		if err != nil {
			t.Fatal(err)
		}
		differs := false
		for i := range plain {
			one := filled[i]
			n, _ := words(strings.Replace(one.Preamble, plain[i].Preamble, "", 1))
			if n-1 < 490 || n-1 > 500 {
				t.Errorf("%s: the filler of %s has %d words", style, one.ID, n-1)
			}
			if !strings.HasSuffix(one.Preamble, plain[i].Preamble) || one.Text != plain[i].Text {
				t.Errorf("%s: %s lost what it had", style, one.ID)
			}
			if one.Turns != nil && plain[i].Turns != nil && one.Turns.Instruction != strings.TrimSuffix(one.Preamble, plain[i].Preamble)+
				plain[i].Turns.Instruction {
				t.Errorf("%s: the turns of %s have another text", style, one.ID)
			}
			differs = differs || one.Preamble != other[i].Preamble
			if one.Preamble != again[i].Preamble {
				t.Errorf("%s: the text of %s is another the second time", style, one.ID)
			}
		}
		if !differs {
			t.Error("another seed gives the same text")
		}
		for _, q := range set.Test {
			for i := range filled {
				if filled[i].Subject == q.Subject && len(q.Text) > 60 && strings.Contains(strings.TrimSuffix(filled[i].Preamble,
					plain[i].Preamble), q.Text) {
					t.Errorf("%s: a question of %s stands in its own filler", style, q.Subject)
				}
			}
		}
	}
}

func TestFillerThatIsNotThereSaysWhy(t *testing.T) {
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := items(t, set, "tiger@1", "mmlu_pro")
	_, err = filler.Fill(all, set, 1, 1_000_000, words)
	errortest.For(t, "too long", err, "a filler of 1000000 tokens for the subject ")
	_, err = filler.Fill(all, set, 1, 5, words)
	errortest.For(t, "too short", err, "a filler of 5 tokens is too short for what stands around it: give 64 or more")
}
