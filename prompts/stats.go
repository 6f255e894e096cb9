package prompts

// Lengths are the prompt lengths of one subject, in characters (code points, not bytes).
type Lengths struct {
	Subject string  `json:"subject"`
	Count   int     `json:"count"`
	Mean    float64 `json:"mean"`
	Min     int     `json:"min"`
	Max     int     `json:"max"`
}

// Overall is the row of all subjects together.
func Overall(subjects []Lengths) Lengths {
	all := Lengths{Subject: "overall"}
	total := 0.0
	for i, l := range subjects {
		if i == 0 || l.Min < all.Min {
			all.Min = l.Min
		}
		all.Max = max(all.Max, l.Max)
		all.Count += l.Count
		total += l.Mean * float64(l.Count)
	}
	if all.Count > 0 {
		all.Mean = total / float64(all.Count)
	}
	return all
}

// Stats measures items as [Eval.Items] orders them, subject by subject.
func Stats(items []Item) []Lengths {
	var all []Lengths
	for subject := range BySubject(items) {
		l := Lengths{Subject: subject[0].Subject, Count: len(subject), Min: subject[0].Chars()}
		total := 0
		for _, item := range subject {
			chars := item.Chars()
			total += chars
			l.Min, l.Max = min(l.Min, chars), max(l.Max, chars)
		}
		l.Mean = float64(total) / float64(l.Count)
		all = append(all, l)
	}
	return all
}
