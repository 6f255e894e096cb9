package combine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/scripts/tests/errortest"
)

func TestTheUsualGroupsHoldMMLUProsSubjectsOnceEach(t *testing.T) {
	var all []string
	for _, g := range Usual {
		all = append(all, g.Subjects...)
	}
	slices.Sort(all)
	want := "biology, business, chemistry, computer science, economics, engineering, health, history, law, math, other, philosophy, " +
		"physics, psychology"
	assert.Check(t, is.Equal(strings.Join(all, ", "), want))
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"exact": "NAME=subject", "=math": "NAME=subject", "exact=": "NAME=subject", "exact= , ": "NAME=subject",
		"all=math": "all is the group of every subject",
	} {
		_, err := ParseGroup(text)
		errortest.For(t, text, err, want)
	}
	g, err := ParseGroup(" exact = math, physics ")
	assert.Check(t, err == nil && g.Name == "exact" && len(g.Subjects) == 2, "%+v, %v", g, err)
}

func TestGivenSubjectsAreFoundAmongTheRuns(t *testing.T) {
	subjects := []string{"computer science", "law", "math"}
	for _, test := range []struct {
		given []Group
		want  string
	}{
		{[]Group{{"x", []string{"comp", "LAW"}}}, "[{x [computer science law]}]"},
		{[]Group{{"x", []string{"chess"}}}, `x: unknown subject "chess"; the runs have computer science, law, math`},
		{[]Group{{"x", []string{"law", "la"}}}, "x: law is named twice"},
		{[]Group{{"x", []string{"law"}}, {"x", []string{"math"}}}, "x is given twice"},
	} {
		got, err := Resolve(test.given, subjects)
		text := fmt.Sprint(got)
		if err != nil {
			text = err.Error()
		}
		assert.Check(t, text == test.want, "%v: %s, want %s", test.given, text, test.want)
	}
}

func TestShownGroups(t *testing.T) {
	for _, test := range []struct {
		name     string
		subjects []string
		given    []Group
		want     string
	}{
		{"usual ones of which something was asked", []string{"law", "math", "physics"}, nil, "STEM humanities"},
		{"a given one behind them", []string{"law", "math"}, []Group{{"exact", []string{"math"}}}, "STEM humanities exact"},
		{"a given one in the place of a usual one", []string{"law", "math"}, []Group{{"STEM", []string{"math"}}}, "humanities STEM"},
		{"no usual one that is all there is", []string{"math", "physics"}, nil, ""},
		{"no usual one of another set", []string{"math", "accounting"}, nil, ""},
		{"given ones of another set", []string{"math", "accounting"}, []Group{{"x", []string{"math"}}, {"y", []string{"law"}}}, "x"},
	} {
		var names []string
		for _, g := range Shown(test.given, test.subjects) {
			names = append(names, g.Name)
		}
		assert.Check(t, is.Equal(strings.Join(names, " "), test.want), "%s", test.name)
	}
}

// TestTheGroupOfAllIsTheReport holds the headline of all subjects against the report of the same run.
func TestTheGroupOfAllIsTheReport(t *testing.T) {
	for name, example := range journaltest.Examples() {
		h, records := example()
		run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
		assert.NilError(t, err)
		report, err := metrics.Of(run, metrics.Options{})
		assert.NilError(t, err)
		measured, err := metrics.MeasuredOf(run, metrics.Options{})
		assert.NilError(t, err)
		if report.Sequential != nil {
			continue // whose interval is made for stopping
		}
		m := MeasurerOf(run, measured)
		figures := m.Group(m.Subjects)
		f := figures[len(figures)-1]
		assert.Check(t, f.Value == report.Headline.Value &&
			f.CI == report.Headline.CI, "%s: %v %v, the report has %v %v", name, f.Value, f.CI,
			report.Headline.Value, report.Headline.CI)
	}
}
