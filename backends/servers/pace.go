package servers

import (
	"math"
	"time"
)

// The pace of requests to a server that refuses some of them.
const (
	unsaidPause  = time.Second      // the pause after a refusal that asks for none; it doubles while nothing is taken
	longestPause = 30 * time.Second // of those
	firstGap     = time.Second      // at most, after a pause before which the server took nothing
	shortestGap  = time.Millisecond // below this no gap is kept
	faster       = 0.7              // of the gap, while no gap was refused
	settledAt    = 1.05             // the gaps taken and refused are this close: the search between them ends
	margin       = 1.01             // kept above the shortest gap that was taken, since requests do not arrive evenly
	probeFaster  = 1.1              // a settled pace is now and then tried this much faster
	probeAfter   = 32               // requests at a settled pace, or more where a refusal costs more:
	probeCost    = 40               // the settled pace lasts this many times as long as the pause of a refusal
	mostProbes   = 2                // each probe doubles the time until the next one, so often
	longestTrial = 8                // requests at one gap before a shorter one is tried
	longestProbe = time.Minute      // between two requests above the width, or longer where a refusal costs more
)

// A pace learns how many requests a server takes from those that it answers and refuses. Nothing is learnt of a server that never
// refuses. A refusal ends an epoch; the pace of the next one is concluded when its pause is over, since the other requests of a
// burst are refused after the first.
//
// Two kinds of limits are distinguished. A limit of requests in a time is met by a gap between requests: it shrinks until one is refused, and
// is then searched for between the longest refused and the shortest taken. A limit of requests at a time is met by a width: it is
// known when a request is refused after a pause although none had been taken since, and others are still being answered.
type pace struct {
	paused  time.Time     // until then nothing is sent
	refused time.Time     // the last refusal that ended an epoch
	pause   time.Duration // that it asked for
	ended   bool          // an epoch has ended, and what it taught is not concluded yet
	tooWide bool          // by a request above the width
	nothing int           // epochs in a row in which nothing was taken
	since   time.Time     // of the first refusal since anything was answered; zero where something was

	epoch   time.Time // its beginning: the refusal before, or the first request
	taken   int       // requests of the epoch that were not refused
	held    int       // requests that were being answered when the epoch ended
	freed   int       // requests that were answered since the epoch began
	last    time.Time // when the last request began
	spacing time.Duration

	gap, tooShort, enough, before time.Duration // kept; the longest refused; the shortest taken, and the one before
	trial, trials                 int           // requests at this gap; how many make a trial
	settled, probes               int           // requests since the search ended; how often it began again since

	width    int           // requests at a time; 0: no such limit is known
	widened  time.Time     // when the last request above the width began; zero where that was refused
	patience time.Duration // between two of those
	widen    time.Time     // when the next one is due
}

// wait is how long it takes until a server may get another request, given how many it is answering.
func (p *pace) wait(now time.Time, inFlight int) time.Duration {
	wait := p.paused.Sub(now)
	if p.gap > 0 {
		wait = max(wait, p.last.Add(p.gap).Sub(now))
	}
	if p.width > 0 && inFlight >= p.width {
		wait = max(wait, p.widen.Sub(now))
	}
	return max(0, wait)
}

// begin notes a request to a server, given how many others it is answering.
func (p *pace) begin(now time.Time, inFlight int) {
	if p.ended {
		p.conclude()
	}
	if p.epoch.IsZero() {
		p.epoch = now
	}
	p.spacing, p.last = now.Sub(p.last), now
	p.taken++
	if p.width > 0 && inFlight >= p.width {
		if !p.widened.IsZero() {
			p.patience = p.shortestPatience()
		}
		p.width, p.widened, p.widen = inFlight+1, now, now.Add(p.patience)
	}
	if p.gap > 0 && float64(p.spacing) <= probeFaster*float64(p.gap) {
		p.evidence()
	}
}

// evidence notes that a request came as soon as the gap allowed: unless it is refused, so may the next ones.
func (p *pace) evidence() {
	if p.trial++; p.trial < p.trials {
		return
	}
	p.trial = 0
	if p.enough == 0 || p.spacing < p.enough {
		p.before, p.enough = p.enough, p.spacing
	}
	p.search()
}

// search chooses the next gap.
func (p *pace) search() {
	switch {
	case p.tooShort == 0:
		if p.gap = time.Duration(faster * float64(p.gap)); p.gap < shortestGap {
			p.gap, p.enough, p.before, p.probes = 0, 0, 0, 0
		}
	case float64(p.enough) > settledAt*float64(p.tooShort):
		p.gap = p.between()
	default:
		p.gap = time.Duration(margin * float64(p.enough))
		p.settled += p.trials
		cost := float64(probeCost*p.pause) / float64(p.gap)
		if float64(p.settled>>p.probes) > max(probeAfter, cost) {
			p.probes = min(p.probes+1, mostProbes)
			p.settled, p.tooShort, p.gap = 0, 0, time.Duration(float64(p.enough)/probeFaster)
		}
	}
}

// between is a gap between the longest refused and the shortest taken. Limits are usually round numbers of requests a second or a
// minute: the first of those that fits is tried before the geometric mean, since each refusal costs a pause.
func (p *pace) between() time.Duration {
	for _, unit := range []time.Duration{time.Second, time.Minute} {
		for _, n := range []float64{1, 2, 5, 10, 20, 50, 100} {
			round := margin * float64(unit) / n
			if float64(p.tooShort) < round && settledAt*round < float64(p.enough) {
				return time.Duration(round)
			}
		}
	}
	return time.Duration(math.Sqrt(float64(p.tooShort) * float64(p.enough)))
}

// refuse notes that a request which began at began was refused while the server had others. said is the pause that it asked for, 0
// where it said nothing. It returns whether that is news: of one burst only the first refusal is.
func (p *pace) refuse(now, began time.Time, others int, said time.Duration) (news bool) {
	p.taken = max(0, p.taken-1)
	if p.since.IsZero() {
		p.since = now
	}
	if !began.After(p.refused) {
		p.held = max(0, p.held-1)
		p.paused = later(p.paused, now.Add(said))
		return false
	}
	if p.ended { // by a request that began while another's pause was not over
		p.conclude()
	}
	p.pause = said
	if said <= 0 {
		p.pause = min(longestPause, unsaidPause<<min(p.nothing, 10))
	}
	p.paused, p.refused, p.held, p.ended = later(p.paused, now.Add(p.pause)), now, others, true
	p.tooWide = began.Equal(p.widened)
	return true
}

// conclude learns from an epoch that a refusal has ended.
func (p *pace) conclude() {
	lasted := p.refused.Sub(p.epoch)
	switch {
	case p.tooWide:
		p.width, p.widened = max(1, p.held), time.Time{}
		p.patience = min(2*p.patience, max(longestProbe, probeCost/2*p.pause))
		p.widen = p.refused.Add(p.patience)
	case p.taken == 0 && p.held > 0 && p.freed == 0 && p.gap > 0:
		p.width, p.patience = p.held, p.shortestPatience()
		p.widen = p.refused.Add(p.patience)
	case p.taken == 0:
		if p.gap == 0 {
			p.gap, p.trials = min(p.pause, firstGap), 1
		}
	case p.gap == 0:
		p.gap = (lasted + p.pause) / time.Duration(p.taken)
		p.trials = min(p.taken, longestTrial)
	default:
		p.narrow(lasted / time.Duration(p.taken))
	}
	p.nothing++
	if p.taken > 0 {
		p.nothing = 0
	}
	p.ended, p.epoch, p.taken, p.freed, p.trial, p.settled = false, p.refused, 0, 0, 0, 0
}

// narrow searches for the gap again, after a request was refused that came as early as the gap allowed. mean is the gap between
// the requests that the server took on the whole since the refusal before, its pause counted: so much it does take.
func (p *pace) narrow(mean time.Duration) {
	p.tooShort = p.spacing
	if p.enough <= p.tooShort {
		p.enough = p.before
	}
	if p.enough <= p.tooShort || mean < p.enough {
		p.enough = mean
	}
	p.enough = max(p.enough, time.Duration(probeFaster*float64(p.tooShort)))
	p.before = 0
	p.search()
}

func (p *pace) shortestPatience() time.Duration { return max(p.pause, p.gap) }

// answered notes that a request ended otherwise than by being refused.
func (p *pace) answered() {
	p.freed++
	p.since = time.Time{}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
