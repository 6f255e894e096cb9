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

// device matches what Windows takes for a device, whatever the ending.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$`)

// checksum matches the end of a name that marked returns.
var checksum = regexp.MustCompile(`-[0-9a-f]{12}$`)

// Folder makes a text that came from data, such as a model or a subject, the name of one folder, on every system: a model
// called ".." or a subject with a "/" leads nowhere else.
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

// Folders makes each of several texts the name of a folder, or a part of a file's, of its own, with what is to stand for a space. Texts
// that would come to one name, in file systems that ignore case and such too, have a checksum in it.
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

// folded is the same of names that a file system may take for one: those of Windows and macOS ignore case, macOS's how accents are put.
func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// marked is a name with the checksum of the text that it stands for.
func marked(name, text string) string {
	sum := sha256.Sum256([]byte(text))
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return strings.TrimLeft(name+"-"+hex.EncodeToString(sum[:6]), "-")
}
