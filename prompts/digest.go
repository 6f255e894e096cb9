package prompts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Digest identifies all prompts of one style and subject, so that two programs can compare thousands of prompts
// by one line each.
type Digest struct {
	Style   string `json:"style"`
	Subject string `json:"subject"`
	Count   int    `json:"count"`
	SHA256  string `json:"sha256"`
}

// String is the line that proctor render --all --digest prints.
func (d Digest) String() string {
	return fmt.Sprintf("%s\t%s\t%d\t%s", d.Style, d.Subject, d.Count, d.SHA256)
}

// Digests digests items as [Eval.Items] orders them, subject by subject. Each hash is the sha256 over the lines
// "QUESTION_ID SHA256HEX(prompt)\n" by ascending id, the variants of a question in the task's order.
func Digests(style Style, items []Item) []Digest {
	var digests []Digest
	for subject := range BySubject(items) {
		lines := sha256.New()
		for _, item := range subject {
			fmt.Fprintf(lines, "%d %x\n", item.QuestionID, sha256.Sum256([]byte(item.Prompt())))
		}
		digests = append(digests, Digest{
			Style: style.Name, Subject: subject[0].Subject, Count: len(subject), SHA256: hex.EncodeToString(lines.Sum(nil)),
		})
	}
	return digests
}
