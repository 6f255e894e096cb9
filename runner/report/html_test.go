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
