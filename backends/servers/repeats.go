package servers

import "strings"

// repeatsToLoop is how many equal pieces after the first Ollama lets through: it gives up at one more.
const repeatsToLoop = 30

// Repeats counts how often a server sent the same piece of an answer, one after the other, spaces aside: where a model keeps
// repeating itself, Ollama ends the answer without a word, by whatever protocol it was asked.
type Repeats struct {
	last  string
	count int
}

// Add counts a piece that came.
func (r *Repeats) Add(piece string) {
	if piece = strings.TrimSpace(piece); piece == r.last {
		r.count++
	} else {
		r.last, r.count = piece, 0
	}
}

// Loop says whether Ollama would give up here.
func (r *Repeats) Loop() bool { return r.count >= repeatsToLoop }
