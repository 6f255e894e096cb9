package servers

import "time"

// The rule by which a server gets more or fewer requests at a time. It begins with one, or as many as the server says
// that it answers at a time, and doubles that as long as its answers come faster by gain. A refusal for now (status
// 429), or a context that is full since several requests share it, halves the number; then each evenly answers add
// one. Answers are the run's own.
const (
	mostAtATime = 64
	gain        = 1.1
	evenly      = 32 // answers

	unsaidPause  = time.Second      // the pause after a refusal that asks for none; it doubles while nothing is answered
	longestPause = 30 * time.Second // of those
	longPause    = 10 * time.Second // one that is logged each time that a server asks for it
)

// A pace says how many requests a server gets at a time, and when.
type pace struct {
	limit     int  // requests at a time
	most      int  // that limit may come to
	searching bool // limit is doubled while that pays
	searches  bool // it was, when the server was met

	skipped int // answers since the limit was doubled that are not measured: they began before
	answers int // measured ones, or those since the limit was halved or raised
	since   time.Time
	pieces  int     // of all answers, at that time
	best    float64 // pieces a second with half as many requests at a time

	halved   time.Time // when a refusal, or a full context, halved the limit
	paused   time.Time // until then nothing is sent
	pause    time.Duration
	unsaid   int       // refusals in a row that asked for no pause
	refusing time.Time // the first refusal since anything was answered; zero where something was
	refusal  *Error    // the last one
}

// atATime is the pace of a server that gets limit requests at a time, or as many as is found out where that is 0.
func atATime(limit int) pace {
	if limit > 0 {
		limit = min(limit, MostInFlight)
		return pace{limit: limit, most: limit}
	}
	return pace{limit: 1, most: mostAtATime, searching: true, searches: true}
}

// answered notes an answer. pieces is how many pieces of text have come of all answers so far.
func (p *pace) answered(now time.Time, pieces int) {
	if !p.searching {
		if p.answers++; p.answers >= evenly {
			p.limit, p.answers = min(p.limit+1, p.most), 0
		}
		return
	}
	if p.skipped < p.limit {
		p.skipped++
		p.since, p.pieces, p.answers = now, pieces, 0
		return
	}
	if p.answers++; p.answers < max(4, 2*p.limit) {
		return
	}
	rate := float64(max(p.answers, pieces-p.pieces)) / now.Sub(p.since).Seconds()
	p.skipped, p.answers = 0, 0
	switch {
	case rate < gain*p.best:
		p.limit /= 2
		p.most, p.searching = p.limit, false
	case p.limit == p.most:
		p.searching = false
	default:
		p.limit, p.best = min(2*p.limit, p.most), rate
	}
}

// halve notes that inFlight requests were too many, among them one that began at began. It returns false where that
// is known, since the others of a burst fail too.
func (p *pace) halve(now, began time.Time, inFlight int) (news bool) {
	if !began.After(p.halved) {
		return false
	}
	p.limit = max(1, min(p.limit, inFlight)/2)
	p.halved, p.searching, p.answers = now, false, 0
	return true
}

// refused notes that a request which began at began was refused for now, while inFlight were there. It returns
// whether that is news.
func (p *pace) refused(now, began time.Time, inFlight int, e *Error) (news bool) {
	if p.refusal = e; p.refusing.IsZero() {
		p.refusing = now
	}
	news, pause := p.halve(now, began, inFlight), e.Pause
	if news {
		if pause <= 0 {
			pause = min(longestPause, unsaidPause<<min(p.unsaid, 10))
			p.unsaid++
		}
		p.pause = pause
	}
	if until := now.Add(pause); until.After(p.paused) {
		p.paused = until
	}
	return news
}
