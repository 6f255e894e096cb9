package llamatest

import "fmt"

// Shape is the size of a llama.
type Shape struct {
	Width   int // of the embeddings; a multiple of 256 where the model is to be quantised with K types
	Heads   int // of attention; they share Width
	KVHeads int // heads that keys and values have
	Inner   int // width of the feed-forward layers, or of an expert's
	Layers  int
	Context int // tokens it claims to be trained for

	Experts, Active int // of a llama's layers, and how many of them a token is given to; 0: no experts
}

// Sized returns the shape whose parameters, with a vocabulary of the given number of tokens, come nearest to the
// number asked for. Heads are 64 wide, four of them share keys and values; small models are 256 wide, larger ones
// wider.
func Sized(parameters int64, tokens int) (Shape, error) {
	var best Shape
	for width := 256; width <= 8192; width += 256 {
		s := Shape{Width: width, Heads: width / 64, KVHeads: width / 256, Inner: (width*8/3 + 255) / 256 * 256, Context: 32768}
		empty := s.Parameters(tokens)
		s.Layers = 1
		layer := s.Parameters(tokens) - empty
		s.Layers = int((parameters - empty + layer/2) / layer)
		if s.Layers < 1 || 64*s.Layers < width { // wider than deep: models are not built so
			break
		}
		best = s
	}
	if best.Layers == 0 {
		return Shape{}, fmt.Errorf("a vocabulary of %d tokens alone takes more than %d parameters: ask for more", tokens, parameters)
	}
	return best, nil
}

// Parameters returns the number of weights, with a vocabulary of the given number of tokens.
func (s Shape) Parameters(tokens int) int64 {
	width, shared := int64(s.Width), int64(s.Width/s.Heads*s.KVHeads)
	experts := int64(max(1, s.Experts))
	layer := 2*width + 2*width*width + 2*width*shared + 3*width*int64(s.Inner)*experts + width*int64(s.Experts)
	return 2*width*int64(tokens) + width + int64(s.Layers)*layer
}
