package journal

import (
	"cmp"
	"fmt"
	"strings"
)

// AskedAgain is one time that a run's cap on tokens was raised, and some of its items were asked again under the new one.
type AskedAgain struct {
	MaxTokens int      `json:"max_tokens"` // the cap until then
	Which     []string `json:"which"`      // of the items with a completion, those asked again: see package again
}

// Cap is the cap on tokens that an item was asked under.
func (h *Header) Cap(r *Record) int {
	if r.MaxTokens == 0 && len(h.AskedAgain) > 0 {
		return h.AskedAgain[0].MaxTokens // a line from before the cap was raised
	}
	return cmp.Or(r.MaxTokens, h.Sampling.MaxTokens)
}

// digestAgain tells how a run's caps were raised, for its fingerprint.
func (h *Header) digestAgain() string {
	var all []string
	for _, a := range h.AskedAgain {
		all = append(all, fmt.Sprintf("%s above %d tokens", strings.Join(a.Which, ","), a.MaxTokens))
	}
	return list(all)
}
