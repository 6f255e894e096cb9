package report

import (
	"bytes"
	stdhtml "html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// keptPage is the HTML report of a run on disk.
func keptPage(t testing.TB, run string) string {
	t.Helper()
	s, err := metrics.Open(run, metrics.Options{})
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, writeHTML(&out, s))
	return out.String()
}

var tags = regexp.MustCompile(`<[^>]*>`)

// Every figure that people read in the whole text is in the HTML, in the same digits.
func TestTheFiguresOfAnHTMLReportAreThoseOfTheText(t *testing.T) {
	for name, run := range journaltest.Examples() {
		t.Run(name, func(t *testing.T) {
			h, records := run()
			path := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
			s, err := metrics.Open(path, metrics.Options{})
			assert.NilError(t, err)
			body, _, _ := strings.Cut(keptPage(t, path), `<section id="items"`)
			shown := " " + strings.Join(strings.Fields(stdhtml.UnescapeString(tags.ReplaceAllString(body, " "))), " ") + " "
			wanted := 0
			want := func(texts ...string) {
				for _, text := range texts {
					text = strings.Join(strings.Fields(text), " ")
					if wanted++; text != "" && !strings.Contains(shown, " "+text+" ") {
						t.Errorf("the page lacks %q", text)
					}
				}
			}
			full := fullPage(s)
			want(full.Title)
			want(full.Notices...)
			for _, section := range full.Sections {
				want(section.Warnings...)
				for _, fact := range section.Facts {
					want(fact.Name, fact.Value, fact.Detail)
				}
				if section.Table != nil {
					for _, row := range section.Table.Rows {
						want(strings.Join(row, " "))
					}
				}
			}
			assert.Check(t, wanted >= 80, "only %d texts were looked for", wanted)
		})
	}
}

func TestTheListOfFailuresHasTheRemediesOfTheText(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	s, err := metrics.Open(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records), metrics.Options{})
	assert.NilError(t, err)
	for _, row := range drawnOf(s).failureListing().Rows {
		name, remedy := row[0].Links[0].Text, row[4].Text
		for _, text := range s.About(metrics.AboutFailures) {
			if strings.HasPrefix(text, name) && !strings.HasSuffix(text, "; "+remedy) {
				t.Errorf("%s: %q, in text %q", name, remedy, text)
			}
		}
	}
}

func TestTheSameJournalGivesTheSameHTML(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	first := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
	second := journaltest.Keep(t, filepath.Join(t.TempDir(), "elsewhere.jsonl"), h, journaltest.Shuffled(records))
	text := keptPage(t, first)
	again := keptPage(t, first)
	assert.Check(t, again == text, "twice the same journal differs")
	other := keptPage(t, second)
	assert.Check(t, other == text, "the same lines in another file and order differ")
}

func TestAnUndecidedVerdictSaysWhatWouldDecideIt(t *testing.T) {
	for _, row := range []struct {
		say  string
		want string
		of   func(q int, gold string) string
	}{
		{"some more right than by guessing", "At this score about ", func(q int, gold string) string {
			if q%3 == 0 {
				return gold
			}
			return ""
		}},
		{"some fewer", "At this score no number of questions that can be asked would show it.", func(q int, gold string) string {
			if q%5 == 0 {
				return gold
			}
			return ""
		}},
	} {
		h, records := journaltest.MCQ(40, func(q, _ int, gold string) journaltest.Answer {
			return journaltest.Answer{Letter: row.of(q, gold)}
		})
		d := documentOf(mustBuild(t, h, records, metrics.Options{}))
		if lines := d.decides(); len(lines) != 2 || !strings.HasPrefix(lines[1], row.want) {
			t.Errorf("%s: %q, want %q", row.say, lines, row.want)
		}
	}
	h, records := journaltest.MCQ(40, func(_, _ int, gold string) journaltest.Answer {
		return journaltest.Answer{Letter: journaltest.Letter((int(gold[0]-'A') + 1) % 3)}
	})
	d := documentOf(mustBuild(t, h, records, metrics.Options{}))
	if lines := d.decides(); len(lines) != 1 || !strings.HasSuffix(d.sentence(), " 0.00 %: worse than guessing.") {
		t.Errorf("nothing right: %q, %q", d.sentence(), lines)
	}
	h, records = journaltest.MCQ(40, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	d = documentOf(mustBuild(t, h, records, metrics.Options{}))
	if lines := d.decides(); len(lines) != 1 || d.sentence() != "Accuracy, whole set 100.00 %: better than guessing." &&
		d.sentence() != "Accuracy 100.00 %: better than guessing." {
		t.Errorf("all right: %q, %q", d.sentence(), lines)
	}
}

func optionFigures(of string, tpr float64) metrics.OptionFigures {
	ci := stats.Interval{Low: tpr - 0.1, High: tpr + 0.1, Confidence: 0.95, Method: "wilson"}
	return metrics.OptionFigures{Of: of, Items: 40, Gold: 10, Called: 8, TPR: stats.Of(tpr), TPRCI: ci, TNR: stats.Of(0.9), TNRCI: ci,
		Balanced: stats.Of((tpr + 0.9) / 2), CI: ci}
}

func byOption() *metrics.ByOption {
	return &metrics.ByOption{Kinds: []metrics.OptionFigures{optionFigures("number", 0.25), optionFigures("none_of_the_above", 0.5)},
		Letters: []metrics.OptionFigures{optionFigures("A", 0.75), {Of: "B", Items: 3, TNR: stats.Of(1)}}, Unknown: 2}
}

func TestTheTableByOption(t *testing.T) {
	p := page.Page{Title: "x"}
	p.Add(optionSection(byOption(), 0.95))
	var out strings.Builder
	assert.NilError(t, p.Text(&out))
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"kind number 40 10 57.50 % 15.00–35.00 % 25.00 % 15.00–35.00 % 90.00 %", "kind none of the above 40 10 70.00 %",
		"letter A 40 10 82.50 %", "letter B 3 0 n/a n/a n/a n/a 100.00 % too few 0.00 %", "2 items without kind",
	} {
		assert.Check(t, strings.Contains(text, want), "no %q in\n%s", want, out.String())
	}
	if s := optionSection(nil, 0.95); s.Table != nil || len(s.Notes) > 0 {
		t.Errorf("%+v", s)
	}
}

func TestADrawingForEachQualityOfAnOption(t *testing.T) {
	part := optionSection(byOption(), 0.95)
	assert.Assert(t, len(part.Drawings) == 2, "%d drawings", len(part.Drawings))
	kinds := part.Drawings[0].(html.Strips)
	assert.Check(t, len(kinds.Rows) == 2 && kinds.Rows[1].Name == "none of the above" && kinds.Rows[0].Baseline == stats.Of(0.5),
		"%+v", kinds)
	empty := optionSection(nil, 0.95)
	assert.Check(t, !empty.Says() && len(empty.Drawings) == 0, "%+v", empty)
}
