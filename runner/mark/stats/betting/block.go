package betting

import "slices"

// A block is some questions after which the capitals change: those before the place end in the order.
type block struct {
	end     int
	weights []float64 // of a question of each subject
	largest float64
}

// blocksOf cuts an order into blocks. questions is how many there are in the set of the subjects that are asked.
func blocksOf(sizes, order []int) (questions int, blocks []block) {
	left := make([]int, len(sizes))
	for _, subject := range order {
		left[subject]++
	}
	for h, n := range left {
		if n > 0 {
			left[h] = max(sizes[h], n)
			questions += left[h]
		}
	}
	open, from := questions, 0
	for _, end := range endsOf(slices.Clone(left), order) {
		b, in, asked := block{end: end, weights: make([]float64, len(sizes))}, make([]int, len(sizes)), end-from
		for _, subject := range order[from:end] {
			in[subject]++
		}
		for h, n := range in {
			if n > 0 {
				b.weights[h] = float64(asked) * float64(left[h]) / float64(n) / float64(open)
				b.largest, left[h] = max(b.largest, b.weights[h]), left[h]-n
			}
		}
		open, from, blocks = open-asked, end, append(blocks, b)
	}
	return questions, blocks
}

// endsOf are the places where blocks end: as soon as each has a question of every subject with any left in the set, and half of
// its share of those to be asked, so that weights differ little. What remains belongs to the last one.
func endsOf(left, order []int) (ends []int) {
	toAsk, in, from := make([]int, len(left)), make([]int, len(left)), 0
	for _, subject := range order {
		toAsk[subject]++
	}
	for place, subject := range order {
		in[subject]++
		whole := true
		for h, n := range left {
			whole = whole && (n == 0 || in[h] > 0 && 2*in[h]*(len(order)-from) >= (place+1-from)*toAsk[h])
		}
		if whole {
			for h, n := range in {
				left[h], toAsk[h], in[h] = left[h]-n, toAsk[h]-n, 0
			}
			ends, from = append(ends, place+1), place+1
		}
	}
	if from < len(order) {
		ends = append(ends[:max(0, len(ends)-1)], len(order))
	}
	return ends
}
