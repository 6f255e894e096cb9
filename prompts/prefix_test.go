package prompts

import "testing"

func TestACommonPrefixEndsBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		a, b, want string
	}{{"naïve é", "naïve è", "naïve "}, {"é", "è", ""}, {"one", "one two", "one"}, {"", "one", ""}} {
		if got := c.a[:commonPrefix(c.a, c.b)]; got != c.want {
			t.Errorf("%q and %q both begin with %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
