package format

import "proctor/runner/mark/stats"

// Load is what programs took of the CPUs, on average and at times, for people: 48 % of the CPUs (2 % to 97 %).
func Load(share, least, most stats.Number) string {
	percent := func(n stats.Number) string { return Decimal(n, 100, 0, " %") }
	text := percent(share) + " of the CPUs"
	if least != most {
		text += " (" + percent(least) + " to " + percent(most) + ")"
	}
	return text
}
