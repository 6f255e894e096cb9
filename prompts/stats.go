package prompts

// Lengths are the prompt lengths of one subject, in characters (code points, not bytes).
type Lengths struct {
	Subject string  `json:"subject"`
	Count   int     `json:"count"`
	Mean    float64 `json:"mean"`
	Min     int     `json:"min"`
	Max     int     `json:"max"`
}

// Stats measures items as [Eval.Items] orders them, subject by subject.
func Stats(items []Item) []Lengths {
	var all []Lengths
	total := 0
	for i, item := range items {
		chars := item.Chars()
		if i == 0 || item.Subject != items[i-1].Subject {
			all = append(all, Lengths{Subject: item.Subject, Min: chars})
			total = 0
		}
		total += chars
		l := &all[len(all)-1]
		l.Count++
		l.Mean = float64(total) / float64(l.Count)
		l.Min = min(l.Min, chars)
		l.Max = max(l.Max, chars)
	}
	return all
}
