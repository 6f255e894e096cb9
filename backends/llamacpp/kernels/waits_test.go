//go:build cgo

package kernels_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// layer is a layer's matrices in a llama with 100 M parameters, as width and rows: of queries, keys, values, what attention gives,
// gate, up and down.
var layer = []struct{ width, rows int }{{512, 512}, {512, 128}, {512, 128}, {512, 512}, {512, 1536}, {512, 1536}, {1536, 512}}

// waitsOfALayer is how often threads wait for each other in a layer's products and attention, where so many sequences are computed
// together, so many tokens of each.
func waitsOfALayer(tokens, streams, threads int) int {
	waits := of(64, 8, 2, tokens, 512, streams).Sharing(threads).Waits
	for _, m := range layer {
		waits += kernelstest.ProductSharing(kernelstest.Q4_K, m.width, m.rows, tokens*streams, threads).Waits
	}
	return waits
}

// A wait of many threads takes as long as a small product: who adds one makes every token slower. ggml adds one behind each operation.
func TestThreadsWaitForEachOtherNoMoreThanBefore(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, test := range []struct {
			tokens, streams, threads, want int
		}{
			{1, 1, 2, 8},   // one for each product, one in attention: each thread has a head
			{1, 1, 8, 5},   // all but the last three have so few weights that each thread packs for itself
			{1, 1, 16, 2},  // and now all have; threads add up chunks of the cache, which is a second wait in attention
			{1, 1, 64, 2},  // nothing but attention
			{1, 16, 2, 8},  // several columns: each product has its wait
			{1, 16, 64, 9}, // on any number of threads
			{40, 2, 2, 8},  // prompts: attention waits once
			{40, 2, 64, 8},
		} {
			if got := waitsOfALayer(test.tokens, test.streams, test.threads); got != test.want {
				t.Errorf("%d tokens of %d sequences on %d threads: each waits %d times in a layer, before %d times",
					test.tokens, test.streams, test.threads, got, test.want)
			}
		}
	})
}

// Each thread has about as much to do as any other one: the parts that they share are many, or as many as threads.
func TestThreadsHaveAboutAsMuchToDo(t *testing.T) {
	levels(t)
	for _, threads := range []int{2, 8, 16, 64} {
		for name, s := range map[string]kernelstest.Sharing{
			"a product of a token":      kernelstest.ProductSharing(kernelstest.Q4_K, 1024, 4096, 1, threads),
			"a product of 16 sequences": kernelstest.ProductSharing(kernelstest.Q4_K, 1024, 4096, 16, threads),
			"a product of a prompt":     kernelstest.ProductSharing(kernelstest.Q4_K, 1024, 4096, 64, threads),
			"attention of a token":      of(64, 32, 8, 1, 2048, 1).Sharing(threads),
			"attention of 16 sequences": of(64, 32, 8, 1, 512, 16).Sharing(threads),
			"attention of a prompt":     of(64, 32, 8, 128, 512, 1).Sharing(threads),
			"attention of four prompts": of(64, 32, 8, 64, 256, 4).Sharing(threads),
		} {
			most := (s.Parts + threads - 1) / threads
			used := float64(s.Parts) / float64(most*threads)
			assert.Check(t, s.Parts <= 0 || used >= 0.75,
				"%s on %d threads: %d parts, so that threads do nothing for %.0f %% of the time", name, threads, s.Parts, 100*(1-used))
		}
	}
}
