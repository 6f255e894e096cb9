package dataset

import (
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/dataset/table"
)

// A tried reading is how it fares with the rows of a split.
type tried struct {
	reading  Reading
	fits     int
	firstNot string   // the place and the value of the first row that it does not fit
	differs  []string // from each other reading: the first row where both fit and do not agree
}

// readingOf finds what the answer column says: the only reading that fits every row, or one that agrees with all others that
// do; else the one that fits most. note says what was found.
func readingOf(m Mapping, files []opened) (is Reading, note string, err error) {
	if m.Labels != "" {
		return AsLabel, "", nil
	}
	all := []tried{{reading: AsLetter}, {reading: AsIndex0}, {reading: AsIndex1}, {reading: AsText}}
	for i := range all {
		all[i].differs = make([]string, len(all))
	}
	rows := 0
	for _, f := range files {
		err := f.Rows(m.Columns(), func(r table.Row) bool {
			c := cellsOf(r)
			options := c.optionsOf(m)
			if c.to.bad != "" || len(options) < 2 || len(options) > MaxOptions || f.unanswered(r, m) {
				return true
			}
			rows++
			try(all, r.At(m.Answer), options, fmt.Sprintf("%s:%d", f.shown, r.Line))
			return true
		})
		if err != nil {
			return "", "", err
		}
	}
	return chosen(m.Answer, all, rows)
}

func try(all []tried, value any, options []string, at string) {
	indices := make([]int, len(all))
	for i := range all {
		var why string
		if indices[i], why = option(all[i].reading, value, options, nil); why != "" {
			indices[i] = -1
			if all[i].firstNot == "" {
				all[i].firstNot = at + ": " + why
			}
			continue
		}
		all[i].fits++
		for j := range i {
			if indices[j] >= 0 && indices[j] != indices[i] && all[i].differs[j] == "" {
				text, _ := table.Text(value)
				all[i].differs[j] = fmt.Sprintf("%s: %q", at, text)
			}
		}
	}
}

func byFits(a, b tried) int { return a.fits - b.fits }

// rivals says whether another reading fits as many rows.
func (t tried) rivals(other tried) bool { return other.reading != t.reading && other.fits == t.fits }

// chosen is the reading that fits every row, else the one that fits most: the others are bad rows then.
func chosen(column string, all []tried, rows int) (Reading, string, error) {
	fitting := slices.DeleteFunc(slices.Clone(all), func(t tried) bool { return t.fits < rows })
	if best := slices.MaxFunc(all, byFits); len(fitting) == 0 && 2*best.fits > rows && !slices.ContainsFunc(all, best.rivals) {
		return best.reading, fmt.Sprintf("%s is read as %s, which fits %d of %d rows", column, best.reading, best.fits, rows), nil
	}
	if len(fitting) == 0 {
		var each []string
		for _, t := range all {
			each = append(each, fmt.Sprintf("%s fits %d (not %s)", t.reading, t.fits, t.firstNot))
		}
		return "", "", fmt.Errorf("no reading of column %s fits all %d rows: %s; correct the rows, or say which it is, as in answer-is=letter",
			column, rows, strings.Join(each, ", "))
	}
	for i, t := range fitting {
		for j, other := range all {
			if t.differs[j] != "" && slices.ContainsFunc(fitting[:i], func(o tried) bool { return o.reading == other.reading }) {
				return "", "", fmt.Errorf("column %s can be read as %s and as %s, which differ (first in %s): "+
					"say answer-is=%s or answer-is=%s",
					column, other.reading, t.reading, t.differs[j], other.reading, t.reading)
			}
		}
	}
	is, why := fitting[0].reading, "no other reading fits every row"
	if len(fitting) > 1 {
		why = fmt.Sprintf("%s says the same", fitting[1].reading)
	}
	return is, fmt.Sprintf("%s is read as %s: %s", column, is, why), nil
}
