package grade

import "slices"

// A Decider is shown a completion while it grows, each time all of it, and says whether its beginning settles the mark:
// whatever else comes, the letter, the rule that finds it and whether it is right stay as they are. It looks at each
// byte about once. It may be shown another completion, from its beginning on, once the one before has ended.
type Decider func(text []byte) bool

// Decides says whether the beginning of a completion can settle the mark. It can where the rule set's first rule takes
// the first match: what comes later is never looked at, and no other rule is tried. That holds also where the letter is
// none of the question's, and the item has no answer for good.
//
// It cannot where the last match counts, nor where thinking is left out (strip): all that has been said may turn out to
// be thinking when a </think> comes. That the text is not cut before the match by a stop string is for the caller to know.
func (s RuleSet) Decides(strip bool) bool { return s.reach > 0 && !s.strip && !strip }

// Decider returns a decider for one completion; the rule set must be one that Decides.
func (s RuleSet) Decider() Decider {
	const options = 10 // fewest letters: what matches here does so in questions with more options too, and settles the mark
	seen := 0
	return func(text []byte) bool {
		from := max(0, min(seen, len(text))-s.reach+1) // a match that is whole only now begins here at the earliest
		seen = len(text)
		_, found := s.Rules[0].Find(string(text[from:]), options)
		return found
	}
}

// Deciding lists the rule sets that can mark a task and decide, in the order of [Sets].
func Deciding(task string) []RuleSet {
	return slices.DeleteFunc(For(task), func(s RuleSet) bool { return !s.Decides(false) })
}
