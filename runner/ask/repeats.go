package ask

import (
	"proctor/prompts"
	"proctor/runner/journal"
)

// seedStep lies between the sampling seeds of two repeats. It is odd, so that no two of up to 2³² repeats share one, and
// far from 1, so that a run with the next seed shares none either.
const seedStep = 2654435769

// repeatSeed is the sampling seed of a repeat, from 1: the first has the run's own, and so the same texts as a run
// without repeats.
func repeatSeed(seed uint32, repeat int) uint32 { return seed + uint32(repeat-1)*seedStep }

// repeated lists every item times times, and beside each which time it is, from 1. Drawn completions of an item are
// asked one after the other, so that its prompt is decoded once. Greedy ones are apart: within a subject all items are
// asked once before any is asked again. Engines compute a little differently depending on what shares a batch, which is
// all that greedy repeats can show, and repeats in lockstep would hide it.
func repeated(items []prompts.Item, times int, greedy bool) (all []prompts.Item, repeats []int) {
	add := func(item prompts.Item, repeat int) {
		item.ID = journal.RepeatID(item.ID, repeat)
		all, repeats = append(all, item), append(repeats, repeat)
	}
	if !greedy {
		for _, item := range items {
			for repeat := range times {
				add(item, repeat+1)
			}
		}
		return all, repeats
	}
	for subject := range prompts.BySubject(items) {
		for repeat := range times {
			for _, item := range subject {
				add(item, repeat+1)
			}
		}
	}
	return all, repeats
}
