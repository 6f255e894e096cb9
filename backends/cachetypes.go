package backends

import (
	"fmt"
	"strings"
)

// CacheTypes are the element types of a cache's keys and of its values in a text as people and journals write it: q8_0 for both, or
// k=q8_0,v=q5_1.
func CacheTypes(text string) (key, value string, err error) {
	if !strings.Contains(text, "=") {
		return text, text, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case name == "k" && key == "":
			key = kind
		case name == "v" && value == "":
			value = kind
		default:
			key, value = "", ""
		}
	}
	if key == "" || value == "" {
		return "", "", fmt.Errorf("KV type %q: give one type for keys and values, as in q8_0, or each its own, as in k=q8_0,v=q5_1", text)
	}
	return key, value, nil
}

// CacheType is the text that [CacheTypes] reads.
func CacheType(key, value string) string {
	if key == value {
		return key
	}
	return "k=" + key + ",v=" + value
}
