package report

import (
	"fmt"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// fewerShots says how many items show how many shots, where not all show the same.
func (r document) fewerShots() string {
	s := r.Shots
	if s == nil || s.Fewer == 0 {
		return ""
	}
	var each []string
	for _, c := range s.Items {
		each = append(each, fmt.Sprintf("%s with %s", format.Several(c.Items, "item"), format.Count(c.Shots)))
	}
	return fmt.Sprintf("%s (%s) show fewer than %s, so that they fit a context of %s: %s", format.Several(s.Fewer, "item"),
		format.Percent(stats.Ratio(s.Fewer, r.Scored())), format.Several(r.Run.Shots, "shot"), format.Several(s.Context, "token"),
		strings.Join(each, ", "))
}
