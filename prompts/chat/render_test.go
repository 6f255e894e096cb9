package chat

import (
	"errors"
	"testing"
	"time"

	"gotest.tools/v3/assert"
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
		got, err := ofModel(t, "{{ strftime_now('"+format+"') }}").Render(nil, o)
		assert.Check(t, err == nil && got == want, "%q: got %q, %v; want %q", format, got, err, want)
	}
}

func TestEffortIsTheTemplatesOrRefused(t *testing.T) {
	for effort, want := range map[string]string{"": "Reasoning: medium", "high": "Reasoning: high"} {
		got, err := ofModel(t, "Reasoning: {{ reasoning_effort | default('medium') }}").Render(nil, Options{Effort: effort})
		assert.Check(t, err == nil && got == want, "%q: %q, %v, want %q", effort, got, err, want)
	}
	_, err := ofModel(t, "{{ messages }}").Render(nil, Options{Effort: "low"})
	assert.Check(t, errors.Is(err, ErrEffortUnknown), "%v", err)
}
