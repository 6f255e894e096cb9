package report

import (
	"proctor/runner/page"
	"proctor/runner/words"
)

// addOthers tells what other programs did while the run ran.
func (r document) addOthers(facts *page.Facts) {
	if others := r.Speed.Others; others != nil {
		facts.Add("other programs", words.Load(others.Share, others.Least, others.Most), "while the run ran")
	}
}
