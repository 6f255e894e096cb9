package task

import (
	"regexp"
	"strings"
)

var (
	noneOfThem = regexp.MustCompile(`(?i)^\W*(none|neither|no( correct| right| valid)? (answer|option|choice|one)s?)( of)?` +
		`( the| these| those)*( (above|others?|options?|answers?|choices?|given|listed|preceding|following|statements?|is|are|` +
		`correct|true|right|these|those|them))*\W*$`)
	allOfThem = regexp.MustCompile(`(?i)^\W*(all|both)( of)?( the| these| those)*( (above|others?|options?|answers?|choices?|given|listed|preceding|` +
		`following|statements?|are|correct|true|right|these|those|them))+\W*$`)
)

// NoneOfThem and AllOfThem say whether an option says "none of the above" or "all of the above", be it in other words.
func NoneOfThem(option string) bool { return noneOfThem.MatchString(strings.TrimSpace(option)) }
func AllOfThem(option string) bool  { return allOfThem.MatchString(strings.TrimSpace(option)) }
