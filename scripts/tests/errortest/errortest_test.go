package errortest

import (
	"errors"
	"fmt"
	"testing"
)

// recorder is a test that remembers what it was failed with.
type recorder struct {
	testing.TB
	said []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func TestWhatAnErrorLacksIsSaid(t *testing.T) {
	for _, test := range []struct {
		err   error
		lacks int
	}{{nil, 2}, {errors.New("one"), 1}, {errors.New("two"), 1}, {errors.New("two and one"), 0}} {
		r := &recorder{}
		For(r, "a case", test.err, "one", "two")
		if len(r.said) != test.lacks {
			t.Errorf("%v: %q", test.err, r.said)
		}
	}
}
