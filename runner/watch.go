package runner

import "proctor/runner/progress"

// subjects are those of the plan in their order, with how many of their items are done.
func (p *Plan) subjects(done map[string]bool) []progress.Subject {
	var all []progress.Subject
	at := map[string]int{}
	for _, item := range p.Items {
		i, known := at[item.Subject]
		if !known {
			i = len(all)
			at[item.Subject] = i
			all = append(all, progress.Subject{Name: item.Subject})
		}
		all[i].Items++
		if done[item.ID] {
			all[i].Done++
		}
	}
	return all
}
