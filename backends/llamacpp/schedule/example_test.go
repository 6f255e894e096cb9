package schedule

import (
	"context"
	"fmt"
	"log"
	"slices"

	"proctor/backends"
)

// Requests share the slots of one engine; each is done as soon as its text is. The engine is a fake here, whose tokens are
// characters: package llamacpp gives a real one.
func ExampleGenerate() {
	requests := []backends.Request{{ID: "a", Prompt: "one", MaxTokens: 4}, {ID: "b", Prompt: "another", MaxTokens: 4}}
	engine := &fakeEngine{}
	traits := engine.begin(nil, 2, 64)
	ids := map[string]backends.Finish{}
	err := Generate(context.Background(), engine, letters{}, traits, slices.Values(requests), func(c backends.Completion) error {
		ids[c.ID] = c.Finish
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(ids), "requests,", engine.batches > 0)
	// Output: 2 requests, true
}
