package journal

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A retiredField is a field of the header that older versions wrote and this one ignores. Fields of items and interim analyses that
// went with it need no entry: they occur only where the header has the field.
type retiredField struct {
	path string // of JSON keys, with a point between them
	what string // what it meant, for people, in the plural: "draws by doubt"
}

// retired are all of them.
var retired = []retiredField{
	{"balance", "halves of a question's options"},
	{"filler", "lengths of other text before prompts"},
	{"max_patterns", "draws of orders"},
	{"sampling.stop_at_answer", "ends at the answer"},
	{"shot_ids", "draws of shots"},
	{"shots_fit", "fewer shots where a prompt did not fit"},
	{"shuffle_options", "shuffled options"},
	{"think_close", "sentences that close thinking"},
	{"like", "ids of another run's questions, which were drawn first"},
	{"selection.population", "counts of the questions drawn from"},
	{"selection.until_half_width", "looks that end a run at a half width"},
	{"energy.counters", "readings of energy"},
	{"selection.until_decided.strata", "strata of a draw by doubt, whose plain share is not the set's"},
}

// leftOut is a sentence that names the retired fields in a header's line; empty where there are none. A field that is null, empty, 0
// or false was never set.
func leftOut(line []byte, retired []retiredField) string {
	var header any
	if len(retired) == 0 || json.Unmarshal(line, &header) != nil {
		return ""
	}
	var there []string
	for _, field := range retired {
		if set(header, strings.Split(field.path, ".")) {
			there = append(there, fmt.Sprintf("%s (%s)", field.what, field.path))
		}
	}
	if there == nil {
		return ""
	}
	return "an older version wrote it: " + strings.Join(there, ", ") + " are ignored"
}

// set says whether there is a value at a path.
func set(in any, path []string) bool {
	for _, key := range path {
		object, is := in.(map[string]any)
		if !is {
			return false
		}
		in = object[key]
	}
	switch value := in.(type) {
	case []any:
		return len(value) > 0
	case map[string]any:
		return len(value) > 0
	default:
		return in != nil && in != 0.0 && in != false && in != ""
	}
}
