package chat

import (
	"testing"
	"time"
)

func TestDatesPrintAsPythonPrintsThem(t *testing.T) {
	o := Options{Now: time.Date(2026, 1, 4, 15, 4, 5, 6_007_000, time.FixedZone("elsewhere", 3600))} // a Sunday
	for format, want := range map[string]string{
		"%Y-%m-%d":                  "2026-01-04",
		"%d %b %Y":                  "04 Jan 2026",
		"%A, %B %-d":                "Sunday, January 4",
		"%a %e %h %y":               "Sun  4 Jan 26",
		"%H:%M:%S.%f":               "15:04:05.006007",
		"%I:%M %p, %-I %-H %-M":     "03:04 PM, 3 15 4",
		"%j %-j %w %u %G-W%V":       "004 4 0 7 2026-W01",
		"%D %F %R %T %x %X":         "01/04/26 2026-01-04 15:04 15:04:05 01/04/26 15:04:05",
		"%c | %r":                   "Sun Jan  4 15:04:05 2026 | 03:04:05 PM",
		"100%% plain%n%t[%Z%z]%%Z":  "100% plain\n\t[]%Z",
		"no conversion, 2006 Jan π": "no conversion, 2006 Jan π",
	} {
		template, err := Parse(OfModel, "{{ strftime_now('"+format+"') }}", Here)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := template.Render(nil, o); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", format, got, err, want)
		}
	}
}
