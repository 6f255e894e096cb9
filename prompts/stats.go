package prompts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Lengths are the prompt lengths of one subject, in characters (code points, not bytes).
type Lengths struct {
	Subject string  `json:"subject"`
	Count   int     `json:"count"`
	Mean    float64 `json:"mean"`
	Min     int     `json:"min"`
	Max     int     `json:"max"`
}

// Overall is the row of all subjects together.
func Overall(subjects []Lengths) Lengths {
	all := Lengths{Subject: "overall"}
	total := 0.0
	for i, l := range subjects {
		if i == 0 || l.Min < all.Min {
			all.Min = l.Min
		}
		all.Max = max(all.Max, l.Max)
		all.Count += l.Count
		total += l.Mean * float64(l.Count)
	}
	if all.Count > 0 {
		all.Mean = total / float64(all.Count)
	}
	return all
}

// Stats measures items as [Eval.Items] orders them, subject by subject.
func Stats(items []Item) []Lengths {
	var all []Lengths
	for subject := range BySubject(items) {
		l := Lengths{Subject: subject[0].Subject, Count: len(subject), Min: subject[0].Chars()}
		total := 0
		for _, item := range subject {
			chars := item.Chars()
			total += chars
			l.Min, l.Max = min(l.Min, chars), max(l.Max, chars)
		}
		l.Mean = float64(total) / float64(l.Count)
		all = append(all, l)
	}
	return all
}

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
