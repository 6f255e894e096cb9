package serverstest

import (
	"fmt"

	"proctor/backends"
)

// Items are n requests that share a beginning.
func Items(n int) (requests []backends.Request) {
	for i := range n {
		requests = append(requests, backends.Request{
			ID: fmt.Sprintf("item/%d", i), MaxTokens: 12, Stop: []string{"Question:"},
			Prompt: fmt.Sprintf("Answer the following questions.\n\nQuestion:\nWhich of these is number %d?\n"+
				"Options:\nA. one\nB. %d\nAnswer: Let's think step by step.", i, i),
		})
	}
	return requests
}
