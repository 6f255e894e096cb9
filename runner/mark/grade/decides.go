package grade

// Decides says whether the beginning of a completion can settle the mark. It can where the rule set's first rule takes
// the first match: what comes later is never looked at, and no other rule is tried. That holds also where the letter is
// none of the question's, and the item has no answer for good.
//
// It cannot where the last match counts, nor where thinking is left out (strip): all that has been said may turn out to
// be thinking when a </think> comes.
func (s RuleSet) Decides(strip bool) bool { return s.first && !s.strip && !strip }
