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
		"the most, which is not":   {[]string{"--points", "0.5"}, "", 0.5, nil},
		"more":                     {[]string{"--points", "51%"}, "--points 51%: it must be at most 50pp", 0.05, nil},
		"a share without its unit": {[]string{"--share", "50"}, "--share: 50 is over 1: 50% is meant?", 0.05, nil},
		"a share as a difference": {[]string{"--share", "5pp"},
			"--share: 5pp is a difference of shares, a share is wanted: write 5%", 0.05, nil},
		"a difference without its unit": {[]string{"--points", "1"},
			"--points: 1 is a hundred percentage points: 1pp is meant?", 0.05, nil},
	} {
		t.Run(name, func(t *testing.T) {
			x, p := 0.05, (*float64)(nil)
			app := &cli.App{Writer: io.Discard, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {}, Flags: []cli.Flag{
				OfPoints(cli.StringFlag{Name: "points"}, Share{To: &x, Least: Open(0), Most: Bound{at: 0.5}}),
				OfShare(cli.StringFlag{Name: "share"}, Share{Given: &p}),
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
