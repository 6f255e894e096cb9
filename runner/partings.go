package runner

import (
	"slices"

	"proctor/backends"
)

// ahead is how many items are looked at for where they part from one.
const ahead = 16

// partings returns where the prompt of a batch's first item parts from those that follow it, in bytes and ascending: after the
// preamble, and after what it has in common with the next ones beyond that.
func (p *Plan) partings(items batch) []int {
	first := &p.Items[items[0]]
	all := []int{len(first.Preamble)}
	for _, i := range items[1:min(len(items), 1+ahead)] {
		if next := &p.Items[i]; next.Preamble == first.Preamble {
			all = append(all, len(first.Preamble)+backends.CommonPrefix([]byte(first.Text), []byte(next.Text)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
