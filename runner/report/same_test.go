package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page/pagetest"
)

// figuresOf are figures that every format shows, under their paths in JSON.
func figuresOf(s *metrics.Summary) map[string]stats.Number {
	all := map[string]stats.Number{
		"headline.value": s.Headline.Value, "headline.baseline": s.Headline.Baseline,
		"headline.ci.low": stats.Of(s.Headline.CI.Low), "headline.ci.high": stats.Of(s.Headline.CI.High),
	}
	for _, part := range s.Subjects {
		all["subjects."+part.Subject+".accuracy"] = part.Accuracy
	}
	return all
}

// detailsOf are figures that only the full formats show.
func detailsOf(s *metrics.Summary) (shares, seconds map[string]stats.Number) {
	shares, seconds = map[string]stats.Number{}, map[string]stats.Number{}
	for i, part := range s.ByOptions {
		path := fmt.Sprintf("by_options.%d.", i)
		shares[path+"accuracy"], shares[path+"ci.high"], shares[path+"baseline"] = part.Accuracy, stats.Of(part.CI.High),
			part.Baseline
	}
	for name, d := range map[string]struct{ p50, p95 stats.Number }{
		"first_token": {s.Speed.FirstToken.P50, s.Speed.FirstToken.P95}, "item": {s.Speed.Latency.P50, s.Speed.Latency.P95},
	} {
		seconds["speed."+name+"_seconds.p50"], seconds["speed."+name+"_seconds.p95"] = d.p50, d.p95
	}
	return shares, seconds
}

func TestEveryFormatTellsTheSameNumbers(t *testing.T) {
	h, records := journaltest.MCQ(130, func(q, _ int, gold string) journaltest.Answer {
		if q%3 == 0 {
			return journaltest.Answer{Letter: "A"}
		}
		return journaltest.Answer{Letter: gold}
	})
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range records {
		took := time.Duration(1+i*7%31) * 123 * time.Millisecond
		records[i].Began = began.Add(time.Duration(i) * time.Second)
		records[i].Timing = backends.Timing{Total: took, FirstToken: took / 7, Prefill: took / 8, Decode: took / 2}
	}
	s, err := metrics.Open(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records), metrics.Options{})
	assert.NilError(t, err)
	figures := figuresOf(s)
	shares, seconds := detailsOf(s)
	assert.Assert(t, len(shares) == 6 && s.Speed.Latency.P95.Defined(), "the run has %d figures", len(shares))
	written := map[string]string{}
	for _, format := range Formats {
		if full, err := Full.Named(format.Name); err == nil {
			format = full
		}
		var out bytes.Buffer
		assert.NilError(t, format.Write(&out, s))
		written[format.Name] = out.String()
	}
	told := map[string]func(path string) string{"json": inJSON(t, written["json"]), "csv": inWide(t, written["csv"])}
	for format, of := range told {
		for _, group := range []map[string]stats.Number{figures, shares, seconds} {
			for path, figure := range group {
				if listed := strings.HasPrefix(path, "by_"); format != "csv" || !listed {
					assert.Check(t, is.Equal(of(path), fmt.Sprint(figure.Rounded())), "%s of %s", path, format)
				}
			}
		}
	}
	written["html"] = pagetest.Visible(written["html"])
	for _, form := range []string{"text", "markdown", "html"} {
		text := written[form]
		for _, group := range []map[string]stats.Number{figures, shares} {
			for path, figure := range group {
				bare, _, _ := strings.Cut(format.Percent(figure), " ") // bounds share a unit
				assert.Check(t, strings.Contains(text, bare), "%s lacks %s: %s", form, path, bare)
			}
		}
		for path, figure := range seconds {
			assert.Check(t, strings.Contains(text, format.Seconds(figure)), "%s lacks %s: %s", form, path, format.Seconds(figure))
		}
	}
}

// inJSON finds a figure in a report's JSON.
func inJSON(t *testing.T, text string) func(string) string {
	var value any
	assert.NilError(t, json.Unmarshal([]byte(text), &value))
	return func(path string) string {
		at := value
		for part := range strings.SplitSeq(path, ".") {
			switch v := at.(type) {
			case map[string]any:
				at = v[part]
			case []any:
				for i, element := range v {
					of := element.(map[string]any)
					if part == fmt.Sprint(of["subject"]) || part == fmt.Sprint(i) {
						at = of
					}
				}
			}
		}
		return fmt.Sprint(at)
	}
}

func inWide(t *testing.T, text string) func(string) string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	assert.Assert(t, err == nil && len(rows) == 2, "%d lines, %v", len(rows), err)
	return func(path string) string { return rows[1][slices.Index(rows[0], path)] }
}
