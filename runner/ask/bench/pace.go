package bench

import "fmt"

// pace tells a person at a terminal how far a benchmark is.
type pace struct {
	draw func(line string)
	rows int

	row, repeat, repeats int
	model, name          string // of what is measured
}

func (b *Bench) pace(rows int) *pace { return &pace{draw: b.Progress, rows: rows} }

// begin tells that a row is being measured.
func (p *pace) begin(model, name string, repeats int) {
	p.model, p.name, p.repeats, p.repeat = model, name, repeats, 0
	p.row++
	p.show()
}

// step counts a repetition; the warm-up is none.
func (p *pace) step(warm bool) {
	if !warm {
		p.repeat++
		p.show()
	}
}

func (p *pace) show() {
	if p.draw != nil {
		p.draw(fmt.Sprintf("%d/%d  %s  %s  %d/%d", p.row, p.rows, p.model, p.name, min(p.repeat+1, p.repeats), p.repeats))
	}
}

// clear leaves the line to the row that is printed.
func (p *pace) clear() {
	if p.draw != nil {
		p.draw("")
	}
}
