// Package errortest is how tests hold errors to what they must say.
package errortest

import (
	"strings"
	"testing"

	"proctor/backends/setting"
)

// SpellFlags has messages name settings as the command line does. A test's package calls it before any message is made:
//
//	func init() { errortest.SpellFlags() }
func SpellFlags() {
	setting.SetSpelling(func(s setting.Setting) string {
		if s == setting.Context {
			return "--ctx"
		}
		return "--" + strings.ReplaceAll(string(s), " ", "-")
	})
}

// Says fails the test where an error is nil, or its text lacks one of the parts.
func Says(t testing.TB, err error, parts ...string) {
	t.Helper()
	For(t, "error", err, parts...)
}

// For is [Says] for one case of several.
func For(t testing.TB, name any, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: %v, want %q", name, err, part)
		}
	}
}
