package compare

// A likely token is its text, its probability, and whether it is the completion's.
type likely [3]any
