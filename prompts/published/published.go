// Package published knows the questions of the published MMLU-Pro, TIGER-Lab/MMLU-Pro at Hugging Face, by their content:
// whatever a set of questions is called, and whatever its format, it is MMLU-Pro where its questions are.
//
// questions.sha256 has the first eight bytes of a SHA-256 for each of the 12,032 test questions, in ascending order. It is over
// the question's id, its text and its options, with a zero byte after each, and one space for all white space, which formats do
// not keep. The test writes the file with -update, and holds it against the published files where they are there.
package published

import (
	"crypto/sha256"
	_ "embed"
	"sort"
	"strconv"
	"strings"
)

// Name is the published set's at Hugging Face, and SHA256 its two parquet files' in journals from before questions were compared.
const (
	Name   = "TIGER-Lab/MMLU-Pro"
	SHA256 = "a2276d93ca46e62ca5a5b63278227cb9e6e6106f8f50c1473011cffc9367c74b"
)

const length = 8 // bytes of each checksum

//go:embed questions.sha256
var known string

// Checksum is what a question is known by.
func Checksum(id int, text string, options []string) string {
	h := sha256.New()
	for _, part := range append([]string{strconv.Itoa(id), text}, options...) {
		h.Write([]byte(strings.Join(strings.Fields(part), " ")))
		h.Write([]byte{0})
	}
	return string(h.Sum(nil)[:length])
}

// Has says whether a question is one of the published test questions.
func Has(id int, text string, options []string) bool {
	sum := Checksum(id, text, options)
	at := sort.Search(len(known)/length, func(i int) bool { return known[i*length:(i+1)*length] >= sum }) * length
	return strings.HasPrefix(known[min(at, len(known)):], sum)
}

// ids is above those of the published test questions.
const ids = 12300

// Find looks for a question by its text and options, whatever its id: from an id on, and then below it. Logs have questions in
// their order, so the next one is near.
func Find(text string, options []string, from int) (id int, ok bool) {
	for i := range ids {
		if id := (from + i) % ids; Has(id, text, options) {
			return id, true
		}
	}
	return 0, false
}
