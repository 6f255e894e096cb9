// Package settingtest has the messages that a test sees name settings as the command line does. A test imports it for that alone:
//
//	import _ "proctor/scripts/tests/settingtest"
package settingtest

import (
	"strings"

	"proctor/backends/setting"
)

func init() {
	setting.Spelled(func(s setting.Setting) string {
		if s == setting.Context {
			return "--ctx"
		}
		return "--" + strings.ReplaceAll(string(s), " ", "-")
	})
}
