package recount

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/sharedtest"
)

var tasks = []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_circular"}

// A maker makes up the i-th run of its kind.
type maker func(random *rand.Rand, i int) (journal.Header, []journal.Record)

// TestASecondPlainComputationFindsTheSameFigures is of runs of every kind. Of some kinds only what the kind is about is compared.
func TestASecondPlainComputationFindsTheSameFigures(t *testing.T) {
	for _, kind := range []struct {
		name        string
		quick, most int // how many
		of          maker
		work        func(*plainRun)
		parts       *regexp.Regexp // of what is compared; nil for all
	}{
		{"any", 6, 24, anyRun, (*plainRun).figures, nil},
		{"asked again", 3, 9, capRaised, (*plainRun).figures, nil},
		{"even draws", 2, 6, evenDraws, (*plainRun).figures, nil},
		{"all orders", 2, 8, allOrders, (*plainRun).figures, nil},
		{"thinking", 6, 6, thoughtful, (*plainRun).figures, nil},
		{"one letter", 2, 2, oneLetter, (*plainRun).figures, nil},
		{"direct", 3, 12, direct, (*plainRun).direct, regexp.MustCompile(`^direct\.`)},
		{"repeats", 6, 9, repeated, func(r *plainRun) { r.repeated(); r.speed(); r.tags() },
			regexp.MustCompile(`^(repeats|speed|failure_counts|completeness)\.|_per_question|_per_right`)},
	} {
		t.Run(kind.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(14, 14))
			for i := range sharedtest.Count(kind.quick, kind.most) {
				h, records := kind.of(random, i)
				checkPlainly(t, fmt.Sprintf("%s, journal %d", h.Task, i), writeJournal(t, h, records), kind.work, kind.parts)
			}
		})
	}
}

func anyRun(random *rand.Rand, i int) (journal.Header, []journal.Record) {
	h, records := randomRun(tasks[i%3], random)
	if i%2 == 1 { // a server guessed ahead
		for k := range records {
			drafted := k % 9
			records[k].Usage.DraftedTokens, records[k].Usage.AcceptedTokens = drafted, drafted/2
		}
	}
	return h, records
}

// capRaised had its cap raised.
func capRaised(random *rand.Rand, i int) (journal.Header, []journal.Record) {
	h, records := anyRun(random, i)
	for k := range records {
		records[k].MaxTokens = h.Sampling.MaxTokens
	}
	h.Sampling.MaxTokens = 8192
	h.History = append(h.History, journal.Part{MaxTokens: 8192})
	for _, r := range slices.Clone(records) {
		if r.Failed() || r.Finish != backends.FinishLength && random.IntN(4) > 0 || random.IntN(5) == 0 {
			continue
		}
		r.Attempt, r.MaxTokens = r.Attempt+1, 8192
		if random.IntN(3) > 0 {
			r.Finish, r.Cause, r.Text = backends.FinishStop, "", answering(random, r.Options)
		}
		r.Usage.OutputTokens += random.IntN(200)
		records = append(records, r)
	}
	return h, journaltest.InFlight(1+random.IntN(9), records)
}

// answering is a text with any of the letters.
func answering(random *rand.Rand, options int) string {
	return " thinking it over, the answer is (" + journaltest.Letter(random.IntN(options)) + ")."
}

// evenDraws has few questions of each of many subjects that are unlike one another, one more of some.
func evenDraws(random *rand.Rand, i int) (h journal.Header, records []journal.Record) {
	h = journaltest.Header("mmlu_pro")
	h.RuleSet = "tiger-strict"
	for s := range 15 {
		subject, skill, count := fmt.Sprintf("subject %02d", s), random.Float64(), 2+i/2
		if s%3 == 0 {
			count += 1 + i/5
		}
		for range count {
			options := 3 + random.IntN(8)
			gold := journaltest.Letter(random.IntN(options))
			answer := journaltest.Answer{Letter: gold}
			if random.Float64() > skill {
				answer.Letter = journaltest.Letter(random.IntN(options))
			}
			records = append(records, journaltest.Record(&h, len(records), subject, "", options, gold, answer))
		}
	}
	h.Selection.Items = len(records)
	return h, records
}

// allOrders asks all of two and three options, but for some items.
func allOrders(random *rand.Rand, _ int) (h journal.Header, records []journal.Record) {
	h = journaltest.Header("mmlu_pro_circular")
	h.Pattern, h.RuleSet = "all_possible", "tiger-strict"
	skill := random.Float64()
	for q := range 30 {
		options := 2 + random.IntN(2)
		gold, orders := random.IntN(options), []string{"AB", "BA"}
		if options == 3 {
			orders = []string{"ABC", "ACB", "BAC", "BCA", "CAB", "CBA"}
		}
		random.Shuffle(len(orders), func(a, b int) { orders[a], orders[b] = orders[b], orders[a] })
		knows := random.Float64() < skill
		for _, variant := range orders {
			letter := variant[gold : gold+1]
			answer := journaltest.Answer{Letter: letter}
			switch x := random.Float64(); {
			case x < 0.02:
				answer = journaltest.Answer{Failed: "TIMEOUT"}
			case !knows || x < 0.1:
				answer.Letter = journaltest.Letter(random.IntN(options))
			}
			records = append(records, journaltest.Record(&h, q, []string{"law", "math"}[q%2], variant, options, letter, answer))
		}
	}
	h.Selection.Items = len(records)
	return h, slices.DeleteFunc(records, func(journal.Record) bool { return random.IntN(90) == 0 })
}

// thoughtful had budgets of thinking, or one.
func thoughtful(random *rand.Rand, i int) (journal.Header, []journal.Record) {
	h, records := journaltest.Thinking(anyRun(random, i))
	if i >= 3 {
		h.Budgets = h.Budgets[2:]
		for k := range records {
			records[k].Forks = nil
		}
	}
	return h, records
}

// oneLetter says nearly always the same: by chance none of the others does.
func oneLetter(_ *rand.Rand, i int) (journal.Header, []journal.Record) {
	say := func(q int) journaltest.Answer { return journaltest.Answer{Letter: "BA"[q%40/39 : q%40/39+1]} }
	if i > 0 {
		return journaltest.Binary(30, func(q, _, _ int) journaltest.Answer { return say(q) })
	}
	h, records := journaltest.MCQ(60, func(q, _ int, _ string) journaltest.Answer { return say(q) })
	h.RuleSet = "tiger-strict"
	return h, records
}

// direct has the letters' probabilities.
func direct(random *rand.Rand, i int) (journal.Header, []journal.Record) {
	h, records := anyRun(random, i)
	h.RuleSet = "direct"
	for j := range records {
		if r := &records[j]; !r.Failed() {
			r.Text, r.Finish, r.Cause = "("+journaltest.Letter(random.IntN(r.Options)), "stop", ""
		}
	}
	return journaltest.Direct(h, records, 1+2*random.Float64(), uint64(i))
}

// repeated asks everything three times.
func repeated(random *rand.Rand, i int) (journal.Header, []journal.Record) {
	h, records := anyRun(random, i)
	h, records = journaltest.Again(h, records[:len(records)/2], 3, func(_ int, r *journal.Record) {
		if !r.Failed() && random.IntN(3) == 0 {
			r.Text = answering(random, r.Options)
		}
		if random.IntN(20) == 0 {
			r.Text = " it is hard to say."
		}
	})
	if records[0].Began.IsZero() == (i < 3) {
		records = journaltest.InFlight(5, records)
	}
	return h, records
}

// randomRun makes up a run of a task with failures, items without an answer and mixed numbers of options.
func randomRun(task string, random *rand.Rand) (journal.Header, []journal.Record) {
	h := journaltest.Header(task)
	if task != "mmlu_pro_binary" {
		h.RuleSet = "tiger-strict"
	}
	subjects := []string{"biology", "law", "math", "physics"}
	skill := random.Float64()
	var records []journal.Record
	say := func(letters int, gold string) journaltest.Answer {
		switch x := random.Float64(); {
		case x < 0.04:
			return journaltest.Answer{Failed: backends.CauseTimeout}
		case x < 0.08:
			return journaltest.Answer{}
		case x < 0.08+0.9*skill:
			return journaltest.Answer{Letter: gold}
		}
		return journaltest.Answer{Letter: journaltest.Letter(random.IntN(letters))}
	}
	for q := range 24 + random.IntN(40) {
		subject := subjects[random.IntN(4)*random.IntN(4)/3]
		options := 3 + random.IntN(3)
		if task == "mmlu_pro" {
			options = 2 + random.IntN(9)
		}
		gold := random.IntN(options)
		switch task {
		case "mmlu_pro":
			letter := journaltest.Letter(gold)
			records = append(records, journaltest.Record(&h, q, subject, "", options, letter, say(options, letter)))
		case "mmlu_pro_binary":
			for option := range options {
				letter := map[bool]string{true: "A", false: "B"}[option == gold]
				record := journaltest.Record(&h, q, subject, journaltest.Letter(option), 2, letter, say(2, letter))
				record.OptionsOriginal = options
				records = append(records, record)
			}
		case "mmlu_pro_circular":
			for _, variant := range journaltest.Rotations(options) {
				letter := variant[gold : gold+1]
				records = append(records, journaltest.Record(&h, q, subject, variant, options, letter, say(options, letter)))
			}
		}
	}
	h.Strip = random.IntN(2) == 0
	h.Think = []string{"", "on", "off"}[random.IntN(3)]
	h.Preambles = preambles(subjects)
	h.Thinking = []backends.Thinking{{Open: "[THINK]", Close: "[/THINK]"},
		{Open: "<|channel|>analysis<|message|>", Close: "<|channel|>final<|message|>"}}[:random.IntN(3)]
	for i := range records {
		if r := &records[i]; !r.Failed() {
			r.Text = phrased(r.Text, random)
			r.Stop, r.Text = ended(r.Text, h.Preambles[r.Subject], random)
			if random.IntN(30) == 0 {
				r.Cause = []backends.Cause{backends.CauseThinkUnclosed, backends.CauseLoop}[random.IntN(2)]
			}
			r.Usage.OutputTokens, r.Usage.ThinkingTokens = 1+random.IntN(90), random.IntN(2)
			r.Timing.Decode = time.Duration(1 + random.IntN(400_000_000))
			if random.IntN(9) == 0 {
				r.Finish, r.Cause = backends.FinishLength, backends.CauseLength
			}
		}
	}
	h.Selection.Items = len(records) + random.IntN(3)
	h.History = journal.History{{Load: time.Duration(random.IntN(2)) * time.Second, MaxTokens: h.Sampling.MaxTokens}}
	if random.IntN(3) > 0 {
		records = journaltest.InFlight(1+random.IntN(9), records)
		for i := range records {
			records[i].NewTokens += random.IntN(20)
		}
	}
	return h, records
}

// preambles are an instruction and three shots each.
func preambles(subjects []string) map[string]string {
	all := map[string]string{}
	for _, subject := range subjects {
		all[subject] = strings.Repeat("Choose, and think of "+subject+". ", 5) + "\n\n"
		for _, n := range []string{"one", "two", "three"} {
			all[subject] += "Question:\n" + strings.Repeat(n+" ", 20) + "of " + subject + "?\nA. yes\nB. no\nAnswer: the answer is (B).\n\n"
		}
	}
	return all
}

// ended has some texts end at a stop string, and others repeat the beginning of their prompt, a shot of it, or two.
func ended(text, preamble string, random *rand.Rand) (stop, ended string) {
	parts := strings.SplitAfter(preamble, "\n\n")
	switch random.IntN(40) {
	case 0, 1, 2:
		return "Question:", text
	case 3:
		return "", "\n" + preamble + text
	case 4:
		return "", text + "\n\n" + parts[1] + parts[3]
	case 5:
		return "", parts[1] + text
	}
	return "", text
}

// phrased says a text's letter X in one of many ways, beside another one O; some begin or end in thinking, or continue after a stop string.
func phrased(text string, random *rand.Rand) string {
	_, letter, found := strings.Cut(text, "(")
	if !found || random.IntN(2) > 0 {
		return text
	}
	answers := []string{
		"ANSWER: X", "Answer: X, not O", "answer: XO", "\nFinal answer: **X**\n", "**Answer:** (x)", "- Answer: X or O", "So it is (X).",
		"I think X", "O, no: X", "The correct option is \\boxed{X}", "My choice is most likely **X**.",
		"the answer is (O). No: the answer is X!", "the answer is (X) and (O).", "X", "X\n", "A cell of O, I’d say", " no idea",
		"(X) or (O)", "the answer is (X).", "the answer is (X).",
	}
	around := []string{
		"%", "%", "%", "%\nQuestion: the answer is (O)", "<think>the answer is (O)</think>%",
		"the answer is (O)</think> %",
		"% <think>the answer is (O)",
		"[THINK]Answer: O[/THINK]%", "<|channel|>analysis<|message|>O<|channel|>final<|message|>%",
	}
	text = strings.Replace(around[random.IntN(len(around))], "%", answers[random.IntN(len(answers))], 1)
	return strings.NewReplacer("X", letter[:1], "x", strings.ToLower(letter[:1]), "O", journaltest.Letter(random.IntN(4))).Replace(text)
}
