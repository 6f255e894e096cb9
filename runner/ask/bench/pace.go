package bench

import (
	"fmt"
	"time"

	"proctor/backends"
	"proctor/runner/ask/progress"
)

// stepCost is how many tokens of a prompt, of which many are computed at a time, a step is taken to be worth.
const stepCost = 10

// work is what a row takes.
type work struct {
	name    string
	repeats int
	size    float64 // of a repetition, in tokens of a prompt
}

func workOf(t backends.EngineTest) work {
	return work{nameOf(t.Prompt, t.Generate), t.Repetitions, float64(t.Prompt + stepCost*t.Generate)}
}

// pace tells a person at a terminal how far a benchmark is, and when it will be done.
type pace struct {
	draw func(line string)
	now  func() time.Time
	rows int

	row, repeat int
	model       string
	current     work
	since       time.Time // the repetition's beginning
	left, done  float64   // of the work
	seconds     float64   // that took what is done
}

func (b *Bench) pace(rows int) *pace { return &pace{draw: b.Progress, now: b.Now, rows: rows} }

// plan adds all repetitions of what is going to be done.
func (p *pace) plan(w work) { p.left += float64(w.repeats) * w.size }

// begin tells that a row is being measured.
func (p *pace) begin(model string, w work) {
	p.model, p.current, p.repeat, p.since = model, w, 0, p.now()
	p.row++
	p.show()
}

// step counts a repetition, and learns from the time it took; the warm-up is not like the others.
func (p *pace) step(warm bool) {
	began := p.since
	p.since = p.now()
	if warm {
		return
	}
	p.repeat++
	p.left, p.done, p.seconds = p.left-p.current.size, p.done+p.current.size, p.seconds+p.since.Sub(began).Seconds()
	p.show()
}

func (p *pace) show() {
	if p.draw == nil {
		return
	}
	repeat, repeats := min(p.repeat+1, p.current.repeats), p.current.repeats
	line := fmt.Sprintf("%d/%d  %s  %s  %d/%d", p.row, p.rows, p.model, p.current.name, repeat, repeats)
	if p.left > 0 && p.done > 0 {
		line += "  " + progress.ETA(p.seconds/p.done*p.left)
	}
	p.draw(line)
}

// clear leaves the line to the row that is printed.
func (p *pace) clear() {
	if p.draw != nil {
		p.draw("")
	}
}
