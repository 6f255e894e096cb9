package questions

import (
	"fmt"
	"strings"
)

// Sum asks for the last digit of a sum of two to six digits. Its options are the ten digits in
// their order, its working adds one at a time.
func (s Source) Sum() Question {
	digits := make([]string, 2+s.IntN(5))
	q := Question{Subject: "math"}
	sum := 0
	var steps []string
	for i := range digits {
		n := s.IntN(10)
		digits[i] = fmt.Sprint(n)
		if i > 0 {
			steps = append(steps, fmt.Sprintf("%d+%d=%d", sum, n, (sum+n)%10))
		}
		sum = (sum + n) % 10
	}
	q.Text = "What is the last digit of " + strings.Join(digits, "+") + "?"
	q.Working, q.Result = strings.Join(steps, ";"), fmt.Sprint(sum)
	for n := range 10 {
		q.Options = append(q.Options, fmt.Sprint(n))
	}
	q.Gold = sum
	return q
}
