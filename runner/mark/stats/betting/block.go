package betting

// A block is some questions after which the capitals change: those before the place end in the order.
type block struct {
	end     int
	weights []float64 // of a question of each subject
	largest float64
}

// blocksOf cuts an order, given by each question's subject, into blocks. A block ends as soon as it has a question of every subject
// and three quarters of each one's share, so that weights differ little. The rest belongs to the last one.
func blocksOf(order []int) (blocks []block) {
	all, in, from := counted(order), map[int]int{}, 0
	for place, subject := range order {
		in[subject]++
		if end := place + 1; holds(in, all, end-from, len(order)) {
			blocks = append(blocks, blockOf(order, from, end, all))
			in, from = map[int]int{}, end
		}
	}
	if from == len(order) {
		return blocks
	}
	blocks, from = blocks[:max(0, len(blocks)-1)], 0
	if len(blocks) > 0 {
		from = blocks[len(blocks)-1].end
	}
	return append(blocks, blockOf(order, from, len(order), all))
}

// counted are the questions of each subject.
func counted(order []int) map[int]int {
	in := map[int]int{}
	for _, subject := range order {
		in[subject]++
	}
	return in
}

// holds says whether these questions are enough for a block.
func holds(in, all map[int]int, some, questions int) bool {
	for subject, n := range all {
		if in[subject] == 0 || 4*in[subject]*questions < 3*some*n {
			return false
		}
	}
	return true
}

// blockOf weighs questions so that each subject counts as it does in all of the order.
func blockOf(order []int, from, end int, all map[int]int) block {
	b := block{end: end, weights: make([]float64, len(all))}
	for subject, n := range counted(order[from:end]) {
		b.weights[subject] = float64(end-from) * float64(all[subject]) / float64(n) / float64(len(order))
		b.largest = max(b.largest, b.weights[subject])
	}
	return b
}
