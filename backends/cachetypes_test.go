package backends_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

func TestCacheTypesAreOneOrTwo(t *testing.T) {
	for text, want := range map[string][3]string{
		"":                {"", "", ""},
		"f16":             {"f16", "f16", "f16"},
		"k=q8_0,v=q5_1":   {"q8_0", "q5_1", "k=q8_0,v=q5_1"},
		" v=q4_0, k=f16 ": {"f16", "q4_0", "k=f16,v=q4_0"},
		"k=q8_0,v=q8_0":   {"q8_0", "q8_0", "q8_0"},
	} {
		key, value, err := backends.CacheTypes(text)
		assert.Check(t, err == nil && key == want[0] && value == want[1] && backends.CacheType(key, value) == want[2],
			"%q: %q and %q, %v", text, key, value, err)
	}
	for _, text := range []string{"k=q8_0", "v=q8_0", "k=q8_0,k=f16,v=f16", "k=,v=f16", "k=f16,v=f16,w=f16", "k=f16;v=f16"} {
		_, _, err := backends.CacheTypes(text)
		errortest.For(t, text, err, "give one type for keys and values, as in q8_0, or each its own, as in k=q8_0,v=q5_1")
	}
}
