package engine

// A Layer describes the memory that one layer keeps for each sequence.
type Layer struct {
	State    int  // numbers of a state, as 32-bit floats
	Attends  bool // it has a cache of keys and values
	Windowed bool // and looks back through a sliding window only
}

// A Cache describes the memory that a model keeps for the tokens of each sequence.
type Cache struct {
	Layers []Layer
	Window int  // tokens that layers with a sliding window look back; 0: there are none
	Hybrid bool // some layers keep a state and others attend
	Wide   bool // each sequence has as many cells as all would need together
	// What all layers keep of a token, without flash attention and with it, where that was measured: zeros are left to the file's header.
	Plain, Flash Cell
}

// A Cell is how many numbers are kept of a token.
type Cell struct{ Keys, Values int64 }

// Cell returns the cell measured with these settings.
func (c Cache) Cell(s Settings) Cell {
	if s.FlashAttention {
		return c.Flash
	}
	return c.Plain
}

// cellStep is the step in which llama.cpp allocates a sequence's cells: their number is a multiple of it.
const cellStep = 256

// Cells is the number of cells that llama.cpp allocates for the tokens of a sequence.
func Cells(tokens int) int { return roundUp(tokens, cellStep) }

func roundUp(n, step int) int { return (n + step - 1) / step * step }

// Cells is how many tokens each sequence has room for. In a wide cache it is a multiple of what would be needed if all sequences had to
// share it.
func (c Cache) Cells(s Settings) int {
	if c.Wide {
		return roundUp(s.Context, cellStep*s.Slots)
	}
	return Cells(s.Context)
}

// WindowCells is how many tokens each sequence has room for in layers with a sliding window.
func (c Cache) WindowCells(s Settings) int {
	if !s.KVWindowed {
		return c.Cells(s)
	}
	return Cells(min(s.Context, c.Window+s.Microbatch))
}
