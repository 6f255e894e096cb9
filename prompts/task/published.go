package task

import (
	"crypto/sha256"
	_ "embed"
	"sort"
	"strconv"
	"strings"
)

// Published is the published set's name at Hugging Face.
const Published = "TIGER-Lab/MMLU-Pro"

const checksumBytes = 8

// known has the checksums of the 12,032 published test questions, in ascending order, by which they are recognised whatever a set is
// called, and whatever its format. The test of package dataset writes the file with -update, and compares it with the published files
// where they are there.
//
//go:embed questions.sha256
var known string

// PublishedQuestions is how many the published test questions are.
func PublishedQuestions() int { return len(known) / checksumBytes }

// Checksum is the first bytes of a SHA-256 over a question's id, its text and its options, with a zero byte after each, and one space
// for all white space, which formats do not keep.
func Checksum(id int, text string, options []string) string {
	h := sha256.New()
	for _, part := range append([]string{strconv.Itoa(id), text}, options...) {
		h.Write([]byte(strings.Join(strings.Fields(part), " ")))
		h.Write([]byte{0})
	}
	return string(h.Sum(nil)[:checksumBytes])
}

// IsPublished says whether a question is one of the published test questions.
func IsPublished(id int, text string, options []string) bool {
	sum := Checksum(id, text, options)
	at := sort.Search(len(known)/checksumBytes, func(i int) bool { return known[i*checksumBytes:(i+1)*checksumBytes] >= sum }) * checksumBytes
	return strings.HasPrefix(known[min(at, len(known)):], sum)
}

// ids is above those of the published test questions.
const ids = 12300

// FindPublished looks for a question by its text and options, whatever its id: from an id on, and then below it. Logs have questions in
// their order, so the next one is near.
func FindPublished(text string, options []string, from int) (id int, ok bool) {
	for i := range ids {
		if id := (from + i) % ids; IsPublished(id, text, options) {
			return id, true
		}
	}
	return 0, false
}
