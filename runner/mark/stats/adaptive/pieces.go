package adaptive

// longest is how many pieces a block is cut into at most, and shortest how many questions each has at least.
const (
	longest  = 64
	shortest = 12
)

// Pieces cuts a block into smaller ones that are alike, each with at least one question of every stratum that the block has any of:
// what is staked changes with every block, and is the better the later it is decided.
func Pieces(counts []int) [][]int {
	n, all := longest, 0
	for _, c := range counts {
		if c > 0 {
			n, all = min(n, c), all+c
		}
	}
	n = max(1, min(n, all/shortest))
	pieces := make([][]int, n)
	for k := range pieces {
		pieces[k] = make([]int, len(counts))
		for h, c := range counts {
			pieces[k][h] = c*(k+1)/n - c*k/n
		}
	}
	return pieces
}
