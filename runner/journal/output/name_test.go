package output

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestADifferentTextIsADifferentFolder(t *testing.T) {
	for text, pattern := range map[string]string{
		"mmlu_pro_binary_computer_science": `mmlu_pro_binary_computer_science`,
		"ollama:x:q4_K_M":                  `ollama-x-q4_K_M`,
		"é, (1)":                           `é,-\(1\)`,
		"../../../esc":                     `esc-[0-9a-f]{12}`,
		"..":                               `[0-9a-f]{12}`,
		"":                                 `[0-9a-f]{12}`,
		".hidden":                          `hidden-[0-9a-f]{12}`,
		"end.":                             `end-[0-9a-f]{12}`,
		`C:\x`:                             `C--x`,
		"a\x00\nb\u202ec":                  `a--b-c`,
		"Nul.gguf":                         `Nul\.gguf-[0-9a-f]{12}`,
		"a-0123456789ab":                   `a-0123456789ab-[0-9a-f]{12}`,
		"\xff":                             `[0-9a-f]{12}`,
		strings.Repeat("é", 300):           `é+-[0-9a-f]{12}`,
	} {
		name := Folder(text)
		assert.Check(t, regexp.MustCompile(`\A`+pattern+`\z`).MatchString(name), "%q is %q, want %s", text, name, pattern)
		assert.Check(t, filepath.IsLocal(name) && filepath.Base(name) == name && len(name) <= 200,
			"%q leads elsewhere: %q", text, name)
	}
	texts := []string{"a/b", "a-b", "A b", "c", "C", "d", "a-b-" + Folders([]string{"a/b", "a-b"})[0][4:], "..", "...", ".", ""}
	seen := map[string]string{}
	for i, name := range Folders(texts) {
		other, taken := seen[strings.ToLower(name)]
		assert.Check(t, !taken, "%q and %q are both %q", other, texts[i], name)
		seen[strings.ToLower(name)] = texts[i]
	}
	assert.Check(t, Folders(texts)[5] == "d", "d is %q", Folders(texts)[5])
}
