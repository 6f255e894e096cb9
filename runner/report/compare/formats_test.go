package compare

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/page"
	"proctor/scripts/tests/errortest"
)

func TestGoldenComparisons(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	many := pairstest.MCQ("Q4_K_M", 3000, func(q int) bool { return q%3 > 0 && q != 100 })
	for name, c := range map[string]*pairs.Comparison{
		"two":    compared(t, pairs.Options{Rules: true}, a, b),
		"direct": compared(t, pairs.Options{}, pairstest.Direct(a, 2, 1), pairstest.Direct(b, 1.9, 1)),
		"three":  compared(t, pairs.Options{}, a, b, third),
		"enough": compared(t, pairs.Options{}, pairstest.MCQ("Q8_0", 3000, func(q int) bool { return q%3 > 0 }), many),
		"binary": compared(t, pairs.Options{}, pairstest.Binary("Q8_0", 60, func(q, option int) bool { return option == q%4 || q%7 == 0 }),
			pairstest.Binary("Q4_K_M", 60, func(q, option int) bool { return option == q%4 && q%5 > 0 })),
		"circular": compared(t, pairs.Options{}, pairstest.Circular("Q8_0", 60, func(q, _ int) bool { return q%3 > 0 }),
			pairstest.Circular("Q4_K_M", 60, func(q, rotation int) bool { return q%3 > 0 && (q < 40 || rotation != 2) })),
	} {
		assertGoldens(t, c, name)
	}
}

// assertGoldens compares all that is written of a comparison with files: short, and everything.
func assertGoldens(t *testing.T, c *pairs.Comparison, name string) {
	t.Helper()
	write := func(format page.Format[*pairs.Comparison], file string) {
		var out bytes.Buffer
		if err := format.Write(&out, c); err != nil {
			t.Fatal(err)
		}
		golden.Assert(t, out.String(), file)
	}
	for _, format := range figures {
		write(format, name+format.Ext)
	}
	for _, format := range Full[:2] {
		write(format, name+".full"+format.Ext)
	}
}

// TestTheDefaultFitsOneScreen has as much to say as there can be without flags that ask for more.
func TestTheDefaultFitsOneScreen(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	a.Header.Model.FellBack, b.Header.Model.FellBack, third.Header.Model.FellBack = "0 of 211 tensors are Q8_0", "1 of 211", "2 of 211"
	b.Header.Sampling.MaxTokens, third.Header.Sampling.MaxTokens = 77, 66
	for i := range b.Records[:300] {
		b.Records[i].Finish, b.Records[i].Text = backends.FinishLength, "i can't"
	}
	notices := []string{"one is not compared", "nor is two", "nor is three", "nor is four"}
	many := []pairstest.Run{third}
	for range 5 {
		many = append(many, a)
	}
	for name, test := range map[string]struct {
		most int
		c    *pairs.Comparison
	}{
		"two runs":   {24, compared(t, pairs.Options{Force: true, Notices: notices}, a, b)},
		"undecided":  {24, compared(t, pairs.Options{Notices: notices}, pairstest.MCQ("Q8_0", 400, pairstest.Knows(300, 0, 0)), a)},
		"a sweep":    {20, compared(t, pairs.Options{Force: true, Notices: notices, Recommend: true}, many...)},
		"not valid":  {20, compared(t, pairs.Options{Force: true, Notices: notices, Recommend: true}, b, a, third)},
		"six others": {24, compared(t, pairs.Options{Notices: notices}, append(many, a)...)},
	} {
		var out bytes.Buffer
		if err := shortPage(test.c).Text(&out); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines > test.most {
			t.Errorf("%s: %d lines, more than %d:\n%s", name, lines, test.most, out.String())
		}
	}
}

func TestShufflingJournalsChangesNoByte(t *testing.T) {
	a, b := pairstest.Binary("Q8_0", 40, func(q, option int) bool { return option == q%4 || q%7 == 0 }),
		pairstest.Binary("Q4_K_M", 40, func(q, option int) bool { return option == q%3 })
	var straight, mixed bytes.Buffer
	if err := Formats[2].Write(&straight, compared(t, pairs.Options{}, a, b)); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, records := range [][]journal.Record{a.Records, b.Records} {
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	}
	if err := Formats[2].Write(&mixed, compared(t, pairs.Options{}, a, b)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(straight.Bytes(), mixed.Bytes()) {
		t.Error("the comparison depends on the order of the lines")
	}
}

func TestNoComparisonHoldsWhatJSONCannotSay(t *testing.T) {
	unwritable := regexp.MustCompile(`NaN|[+-]?\bInf\b|(^|[^0-9A-Za-z])-0(\.0*)?([^0-9.]|$)`)
	always := func(answer bool) func(int) bool { return func(int) bool { return answer } }
	for name, runs := range map[string][2]pairstest.Run{
		"one question": {pairstest.MCQ("Q8_0", 1, always(true)), pairstest.MCQ("Q4_K_M", 1, always(false))},
		"all right":    {pairstest.MCQ("Q8_0", 9, always(true)), pairstest.MCQ("Q4_K_M", 9, always(true))},
		"all wrong":    {pairstest.MCQ("Q8_0", 9, always(false)), pairstest.MCQ("Q4_K_M", 9, always(false))},
		"one binary question": {pairstest.Binary("Q8_0", 1, func(int, int) bool { return true }),
			pairstest.Binary("Q4_K_M", 1, func(int, int) bool { return false })},
		"binary, always True": {pairstest.Binary("Q8_0", 5, func(int, int) bool { return true }),
			pairstest.Binary("Q4_K_M", 5, func(int, int) bool { return false })},
		"one circular": {pairstest.Circular("Q8_0", 1, func(int, int) bool { return true }),
			pairstest.Circular("Q4_K_M", 1, func(int, int) bool { return false })},
		"circular, all right": {pairstest.Circular("Q8_0", 5, func(int, int) bool { return true }),
			pairstest.Circular("Q4_K_M", 5, func(int, int) bool { return true })},
		"models without sizes": {pairstest.MCQ("", 5, always(true)), pairstest.MCQ("", 5, func(q int) bool { return q > 0 })},
	} {
		c := compared(t, pairs.Options{Rules: true}, runs[0], runs[1], runs[1])
		for _, format := range figures {
			var out bytes.Buffer
			if err := format.Write(&out, c); err != nil {
				t.Fatalf("%s as %s: %v", name, format.Name, err)
			}
			if at := unwritable.FindIndex(out.Bytes()); at != nil {
				t.Errorf("%s as %s: …%s…", name, format.Name, out.Bytes()[max(0, at[0]-60):min(out.Len(), at[1]+20)])
			}
		}
	}
}

func TestGoldenRecommendation(t *testing.T) {
	options := pairs.Options{Recommend: true, Names: []string{"whole", "half", "quarter"}, Notices: []string{"Q2_K is not compared: no room"}}
	c := compared(t, options,
		pairstest.MCQ("F16", 1000, pairstest.Knows(800, 0, 0)), pairstest.MCQ("Q8_0", 1000, pairstest.Knows(800, 0, 0)),
		pairstest.MCQ("Q4_K_M", 1000, pairstest.Knows(800, 0, 3)))
	assertGoldens(t, c, "recommended")
}

func TestAnUnknownFormatIsRefused(t *testing.T) {
	_, err := Formats.Named("pdf")
	errortest.For(t, "an unknown format", err, "text, markdown, json, csv, html")
}
