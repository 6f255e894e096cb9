package prompts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
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
	var lines hash.Hash
	for i, item := range items {
		if i == 0 || item.Subject != items[i-1].Subject {
			lines = sha256.New()
			digests = append(digests, Digest{Style: style.Name, Subject: item.Subject})
		}
		prompt := sha256.New()
		io.WriteString(prompt, item.Preamble)
		io.WriteString(prompt, item.Text)
		fmt.Fprintf(lines, "%d %x\n", item.QuestionID, prompt.Sum(nil))
		last := &digests[len(digests)-1]
		last.Count++
		if i+1 == len(items) || items[i+1].Subject != item.Subject {
			last.SHA256 = hex.EncodeToString(lines.Sum(nil))
		}
	}
	return digests
}
