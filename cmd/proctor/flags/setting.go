package flags

import (
	"strings"

	"proctor/backends/setting"
)

// Messages of all packages name settings as this program's users write them.
func init() { setting.Spelled(Spelled) }

// renamed are the settings whose flag has another name.
var renamed = map[setting.Setting]string{setting.Context: "ctx"}

// Spelled is a setting's flag.
func Spelled(s setting.Setting) string {
	name, other := renamed[s]
	if !other {
		name = strings.ReplaceAll(string(s), " ", "-")
	}
	return "--" + name
}
