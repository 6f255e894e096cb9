package output

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longestName is the most bytes of a folder's name, so that more can follow within the 255 of most file systems.
const longestName = 120

// device matches the names that Windows takes for devices, with any ending.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$`)

// checksum matches the end of a name that marked returns.
var checksum = regexp.MustCompile(`-[0-9a-f]{12}$`)

// Folder turns a text from data, such as a model or a subject, into a safe folder name on every system: a model called ".." or a
// subject with a "/" can't lead elsewhere.
func Folder(text string) string { return nameOf(text, '-') }

func nameOf(text string, space rune) string {
	name := strings.Map(func(r rune) rune {
		if r == ' ' {
			return space
		}
		if !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, strings.ToValidUTF8(text, "-"))
	plain := strings.TrimRight(strings.TrimLeft(name, ".-"), ".")
	if plain == "" || plain != name || len(plain) > longestName || device.MatchString(plain) || checksum.MatchString(plain) {
		return marked(plain, text)
	}
	return plain
}

// Folders turns texts into distinct folder names; space replaces spaces. Texts whose names would collide, also in file systems that
// ignore case, get a checksum.
func Folders(texts []string, space rune) []string {
	count := map[string]int{}
	names := make([]string, len(texts))
	for i, text := range texts {
		names[i] = nameOf(text, space)
		count[folded(names[i])]++
	}
	for i, text := range texts {
		if count[folded(names[i])] > 1 {
			names[i] = marked(names[i], text)
		}
	}
	return names
}

// folded is equal for names that a file system may take for one: Windows and macOS ignore case, and macOS ignores how accents are
// encoded.
func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// marked is a name with a checksum of the text that it stands for.
func marked(name, text string) string {
	sum := sha256.Sum256([]byte(text))
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return strings.TrimLeft(name+"-"+hex.EncodeToString(sum[:6]), "-")
}
