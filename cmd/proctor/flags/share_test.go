package flags

import (
	"io"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestSharesOfFlagsStayWithinTheirBounds(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string // the error
		x    float64
		p    *float64
	}{
		"not given":                {nil, "", 0.05, nil},
		"a share that need not be": {[]string{"--share", "50%"}, "", 0.05, new(0.5)},
		"nothing of it":            {[]string{"--share", "0"}, "", 0.05, new(0.0)},
		"a difference":             {[]string{"--points", "2pp"}, "", 0.02, nil},
		"the least, which is open": {[]string{"--points", "0"}, "--points 0: it must be above 0pp", 0.05, nil},
		"below the most":           {[]string{"--points", "0.49"}, "", 0.49, nil},
		"the most, which is, too":  {[]string{"--points", "50%"}, "--points 50%: it must be below 50pp", 0.05, nil},
		"a share without its unit": {[]string{"--share", "50"}, "--share: 50 is over 1: 50% is meant?", 0.05, nil},
		"a share as a difference": {[]string{"--share", "5pp"},
			"--share: 5pp is a difference of shares, a share is wanted: write 5%", 0.05, nil},
		"a difference without its unit": {[]string{"--points", "1"},
			"--points: 1 is a hundred percentage points: 1pp is meant?", 0.05, nil},
	} {
		t.Run(name, func(t *testing.T) {
			x, p := 0.05, (*float64)(nil)
			words := ParseWords("try\n\n-- flags --\npoints: a difference\nshare: a share\n", nil)
			app := &cli.App{Writer: io.Discard, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {}, Flags: []cli.Flag{
				words.Points("points", Share{To: &x, Positive: true, Below: 0.5}),
				words.Share("share", Share{Given: &p}),
			}, Action: func(*cli.Context) error { return nil }}
			err := app.Run(append([]string{"proctor"}, test.args...))
			if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if x != test.x || (p == nil) != (test.p == nil) || p != nil && *p != *test.p {
				t.Errorf("%g and %v, want %g and %v", x, p, test.x, test.p)
			}
		})
	}
}
