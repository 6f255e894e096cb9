package selftest

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed golden.json
var golden []byte

// Golden is what the control model is asked, and what it is known to write.
type Golden struct {
	Stop      []string          `json:"stop"`
	MaxTokens int               `json:"max_tokens"`
	Preambles map[string]string `json:"preambles"` // by subject: the beginning that its items share
	Items     []Item            `json:"items"`     // a subject's one after the other
}

// An Item is one question and its text.
type Item struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Prompt  string `json:"prompt"` // after the preamble
	Text    string `json:"text"`
}

// Known is the golden that every copy of the program carries.
func Known() Golden {
	var g Golden
	if err := json.Unmarshal(golden, &g); err != nil {
		panic(fmt.Sprintf("golden.json: %v", err)) // it is compiled in
	}
	return g
}
