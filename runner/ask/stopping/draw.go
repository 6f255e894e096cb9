package stopping

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats/adaptive"
	"proctor/runner/mark/stats/betting"
)

// A draw asks more of the questions whose answers are likely to flip: in strata by the reference's doubt, each in an order drawn with
// the seed. How many of each come next is decided block after block: see package adaptive.
type draw struct {
	strata []adaptive.Stratum
	of     []int   // stratum of each item
	queues [][]int // items of each stratum, in their order
	begin  []int   // questions of each stratum in the first block
}

// Dealt is the order in which a run's items are dealt out to shards, one to each in turn: all of a stratum after another.
func (r *Reference) Dealt() []int {
	if r.draw == nil {
		return r.Order
	}
	return slices.Concat(r.draw.queues...)
}

// narrow leaves some items, each of which has another number now. A shard's part of a stratum is a draw by chance as the whole stratum is,
// and the test goes on to be of the set: see package adaptive.
func (d *draw) narrow(now map[int]int, left []int) *draw {
	part := &draw{strata: d.strata, of: At(d.of, left)}
	rest := make([]int, len(d.queues))
	for h, queue := range d.queues {
		part.queues = append(part.queues, nil)
		for _, was := range queue {
			if i, asked := now[was]; asked {
				part.queues[h] = append(part.queues[h], i)
			}
		}
		rest[h] = len(part.queues[h])
	}
	part.begin = adaptive.Fitting(d.begin, rest)
	return part
}

// whole says whether the run asks all of the set, or of its subjects. Of a part of it the questions that are likely to flip would
// soon be used up, and nothing could be told without them.
func whole(set, drawn map[string]int) bool {
	for subject, n := range set {
		if drawn[subject] < n {
			return false
		}
	}
	return true
}

// stratify has the run drawn in strata by the doubts, where these tell anything.
func (r *Reference) stratify(doubts *Doubts, seed uint64) {
	if r.doubted = doubts.Run; doubts.of == nil {
		r.doubted = ""
		return
	}
	predictions, ranks := make([]adaptive.Prediction, len(r.items)), make([]string, len(r.items))
	for i, item := range r.items {
		predictions[i] = adaptive.Prediction{Right: r.right[i], Doubt: doubts.of[item.QuestionID]}
		sum := sha256.Sum256(fmt.Appendf(nil, "in strata %d/%s", seed, item.ID))
		ranks[i] = string(sum[:])
	}
	strata, of := adaptive.Cut(predictions)
	r.draw = r.drawIn(strata, of, ranks, adaptive.First)
	r.Asked.First = r.draw.first()
	r.before = func() *draw {
		strata, of := adaptive.CutBefore(predictions)
		return r.drawIn(strata, of, ranks, adaptive.FirstBefore)
	}
}

// AsBegun has the run drawn as one was begun that goes on, which an earlier proctor may have done otherwise, and returns the blocks.
func (r *Reference) AsBegun(was *journal.Selection) [][]int {
	switch {
	case was.StratumSizes() == nil:
		return r.InProportion()
	case was.UntilDecided.First == nil && r.before != nil:
		r.draw, r.Asked.First = r.before(), nil
	}
	return r.Blocks()
}

// fewestStrata are those of doubt that tells anything: two are the reference's right and wrong answers.
const fewestStrata = 3

// drawIn draws in strata, with each item's and its rank in the order of its own; nil where these are the reference's right and wrong
// answers alone.
func (r *Reference) drawIn(strata []adaptive.Stratum, of []int, ranks []string,
	first func(strata []adaptive.Stratum, margin, alpha float64, questions int) []int) *draw {
	if r.Asked.Strata = nil; len(strata) < fewestStrata {
		return nil
	}
	d := &draw{strata: strata, of: of}
	d.queues = make([][]int, len(d.strata))
	ids := sha256.New()
	for i, h := range d.of {
		d.queues[h] = append(d.queues[h], i)
		fmt.Fprintf(ids, "%s %d\n", r.items[i].ID, h+1)
	}
	for _, queue := range d.queues {
		slices.SortFunc(queue, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	}
	for _, s := range d.strata {
		r.Asked.Strata = append(r.Asked.Strata, journal.Stratum{Questions: s.Questions, Right: s.Right, Doubt: s.Doubt})
	}
	r.Asked.OfSHA256 = hex.EncodeToString(ids.Sum(nil))
	d.begin = first(d.strata, r.Asked.Margin, r.Asked.Alpha, firstQuestions)
	return d
}

// first is how many questions of each stratum the first block has.
func (d *draw) first() []int {
	if d == nil {
		return nil
	}
	return d.begin
}

// Told says for people which questions are asked first, and what the reference would have to keep for fewer to decide.
func (r *Reference) Told() string {
	switch {
	case r.draw != nil:
		size := expectedOf(r.draw.strata, r.Asked.Margin, r.Asked.Alpha, 0)
		return fmt.Sprintf("asks more of the questions that %s's model was unsure of, in %d strata; %s asks all subjects alike; "+
			"about %.0f questions decide it where the models are equally good and %.1f %% of their answers flip, in 9 of 10 runs at most %d; "+
			"in proportion about %.0f would", r.doubted, size.Strata, setting.InProportion, size.Mean, 100*size.Flips, size.Ninety, size.Uniform.Or(0))
	case r.doubted != "":
		return "asks all subjects in proportion"
	}
	return fmt.Sprintf("asks all subjects in proportion: %s does not tell which answers may flip; %s, and fewer questions decide", r.Asked.Run,
		wouldTell(r.Asked.Run))
}

// InProportion has all subjects asked in proportion, whatever the reference tells, and returns the blocks: of a run that was begun so.
func (r *Reference) InProportion() [][]int {
	r.draw, r.Asked.Strata, r.Asked.OfSHA256, r.Asked.First = nil, nil, "", nil
	return r.Blocks()
}

// Stratum is that of an item, from 1; 0 where the draw has none.
func (r *Reference) Stratum(item int) int {
	if r.draw == nil {
		return 0
	}
	return r.draw.of[item] + 1
}

// plan is how many questions of each stratum each block has, as the interim analyses so far say; the first needs none.
func (d *draw) plan(looks []journal.Interim) (blocks [][]int, err error) {
	left := make([]int, len(d.strata))
	for h, queue := range d.queues {
		left[h] = len(queue)
	}
	blocks = append(blocks, d.begin)
	for _, look := range looks {
		if look.Shard == 0 && look.Draw != nil && look.Draw.Next != nil {
			blocks = append(blocks, look.Draw.Next)
		}
	}
	for i, counts := range blocks {
		if len(counts) != len(left) {
			return nil, errors.New("the journal's interim analyses are of another draw than the run's: the file was changed")
		}
		for h, n := range counts {
			if n < min(1, left[h]) || n > left[h] {
				return nil, fmt.Errorf("the journal's interim analyses have %d questions of stratum %d in block %d, and %d are left: the file "+
					"was changed", n, h+1, i+1, left[h])
			}
			left[h] -= n
		}
	}
	return blocks, nil
}

// Block is the block after these interim analyses, whose counts say which questions of each stratum it has, in the order in which
// prompts share beginnings.
func (r *Reference) Block(looks []journal.Interim) ([]int, error) {
	blocks, err := r.draw.plan(looks)
	if err != nil {
		return nil, err
	}
	var items []int
	last := len(blocks) - 1
	for h, queue := range r.draw.queues {
		from := 0
		for _, counts := range blocks[:last] {
			from += counts[h]
		}
		items = append(items, queue[from:from+blocks[last][h]]...)
	}
	slices.Sort(items)
	return items, nil
}

// inStrata completes an interim analysis of a draw in strata. The blocks are those that the earlier analyses say, so that answers which
// came later, to questions that failed, change nothing about what was asked.
func (r *Reference) inStrata(interim *journal.Interim, earlier []journal.Interim, marks map[string]results.Answer) error {
	d, test := r.draw, adaptive.New(r.draw.strata, r.Asked.Margin, r.Asked.Alpha)
	blocks, err := d.plan(slices.DeleteFunc(slices.Clone(earlier), func(look journal.Interim) bool { return look.Number >= interim.Number }))
	if err != nil {
		return err
	}
	drawn := &journal.Drawn{Known: make([]int, len(d.strata)), Flips: make([]int, len(d.strata))}
	places, seen, verdict := make([]int, len(d.strata)), 0, betting.Verdict("")
	for _, counts := range blocks {
		for _, piece := range adaptive.Pieces(counts) {
			bet := test.Takes(piece)
			if bet {
				test.Begin(piece)
			}
			for h, n := range piece {
				for _, i := range d.queues[h][places[h] : places[h]+n] {
					a, asked := marks[r.items[i].ID]
					least, most := difference(r.right[i], a.Correct), difference(r.right[i], a.Correct)
					if !asked || a.Tag.IsError() {
						least, most = difference(r.right[i], false), difference(r.right[i], true)
					} else if drawn.Known[h]++; least != 0 {
						drawn.Flips[h]++
					}
					seen++
					if !bet {
						continue
					}
					if now := test.Add(h, least, most); now != "" && verdict == "" {
						verdict, interim.After = now, seen
					}
				}
				places[h] += n
			}
		}
	}
	if interim.Errors == interim.Items {
		return errors.New("no question was answered: nothing can be decided")
	}
	if mean, known := adaptive.MeanOf(d.strata, drawn.Known, drawn.Flips).Get(); known {
		interim.Value = &mean
	}
	e := journal.Evidence{}
	e.NotWorse, e.Worse, e.Better = test.Evidence()
	interim.Evidence, interim.Draw = &e, drawn
	sequence := test.Interval(1 - r.Asked.Alpha)
	interim.Interval = &[2]float64{sequence.Low, sequence.High}
	switch {
	case verdict != "":
		interim.Decision, interim.Stop = string(verdict), journal.StopDecided
	case seen == len(r.items):
		interim.Stop = journal.StopAsked
	default:
		left := make([]int, len(places))
		for h, queue := range d.queues {
			left[h] = len(queue) - places[h]
		}
		drawn.Next = adaptive.Fitting(test.Next(max(firstQuestions/growth, seen/growth)), left)
	}
	return nil
}
