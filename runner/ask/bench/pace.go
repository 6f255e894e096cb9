package bench

import (
	"fmt"
	"time"

	"proctor/backends"
	"proctor/runner/ask/progress"
)

// work is what a row takes, in the two kinds of it that take different times.
type work struct {
	name    string
	repeats int
	prompt  float64 // tokens of a repetition that are computed many at a time
	steps   float64 // tokens of a repetition that are computed one after the other
}

func workOf(t backends.EngineTest) work {
	return work{
		name: nameOf(t), repeats: t.Repetitions,
		prompt: float64(t.Depth + t.Prompts()*t.Prompt), steps: float64(t.Generate),
	}
}

// stepCost is how many prompt tokens a step is worth, until that is measured.
const stepCost = 10

// pace tells a person at a terminal how far a benchmark is, and when it will be done.
type pace struct {
	draw func(line string)
	now  func() time.Time
	rows int

	left         work // of the whole benchmark, in one sum
	row, repeat  int
	model        string
	current      work
	since        time.Time // the repetition's beginning
	prompt, each cost      // of a prompt's token, and of a step
}

// cost is what was measured of one kind of work.
type cost struct {
	seconds, tokens float64
}

// token is the seconds of one; 0 where nothing was measured.
func (c cost) token() float64 {
	if c.tokens == 0 {
		return 0
	}
	return c.seconds / c.tokens
}

func (b *Bench) pace(rows int) *pace { return &pace{draw: b.Progress, now: b.Now, rows: rows} }

// plan adds all repetitions of what is going to be done.
func (p *pace) plan(w work) {
	p.left.prompt += float64(w.repeats) * w.prompt
	p.left.steps += float64(w.repeats) * w.steps
}

// begin tells that a row is being measured.
func (p *pace) begin(model string, w work) {
	p.model, p.current, p.repeat, p.since = model, w, 0, p.now()
	p.row++
	p.show()
}

// step counts a repetition, and learns from the time it took; the warm-up is not like the others.
func (p *pace) step(warm bool) {
	now := p.now()
	took := now.Sub(p.since).Seconds()
	p.since = now
	if warm {
		return
	}
	p.repeat++
	w := p.current
	p.left.prompt -= w.prompt
	p.left.steps -= w.steps
	if all := w.prompt + stepCost*w.steps; all > 0 {
		p.prompt.seconds += took * w.prompt / all
		p.prompt.tokens += w.prompt
		p.each.seconds += took * stepCost * w.steps / all
		p.each.tokens += w.steps
	}
	p.show()
}

// rest is how many seconds the rest takes; 0 where nobody knows yet.
func (p *pace) rest() float64 {
	prompt, step := p.prompt.token(), p.each.token()
	switch {
	case prompt == 0:
		prompt = step / stepCost
	case step == 0:
		step = prompt * stepCost
	}
	return p.left.prompt*prompt + p.left.steps*step
}

func (p *pace) show() {
	if p.draw == nil {
		return
	}
	repeat, repeats := min(p.repeat+1, p.current.repeats), p.current.repeats
	line := fmt.Sprintf("%d/%d  %s  %s  %d/%d", p.row, p.rows, p.model, p.current.name, repeat, repeats)
	if left := p.rest(); left > 0 {
		line += "  " + progress.ETA(left)
	}
	p.draw(line)
}

// clear leaves the line to the row that is printed.
func (p *pace) clear() {
	if p.draw != nil {
		p.draw("")
	}
}
