package choices

import "fmt"

// A Question is one of a set's, as far as a choice looks at it.
type Question struct {
	ID      int
	Subject string
}

// Find are the indices of the questions that texts choose, see [Parse]; named are the subjects that people typed. What is not there
// is an error.
func Find(texts []string, set []Question, named func(typed []string) ([]string, error)) (map[int]bool, error) {
	found := map[int]bool{}
	for _, text := range texts {
		c, err := Parse(text)
		if err != nil {
			return nil, err
		}
		matches := func(q Question) bool { return q.ID == c.ID }
		if c.Subject != "" {
			subjects, err := named([]string{c.Subject})
			if err != nil {
				return nil, err
			}
			c.Subject = subjects[0]
			matches = func(q Question) bool { return q.Subject == c.Subject }
		}
		place := 0
		for i, q := range set {
			if !matches(q) {
				continue
			}
			if place++; c.Subject == "" || c.From <= place && place <= c.To {
				found[i] = true
			}
		}
		switch {
		case c.Subject == "" && place == 0:
			return nil, lacks(c.ID, set)
		case c.Subject != "" && place < c.To:
			return nil, fmt.Errorf("it has %d questions of %s, and %d is beyond them", place, c.Subject, c.To)
		}
	}
	return found, nil
}

// lacks says that there is no question of an id, and which ids there are.
func lacks(id int, set []Question) error {
	least, most := id, id
	for i, q := range set {
		if i == 0 {
			least, most = q.ID, q.ID
		}
		least, most = min(least, q.ID), max(most, q.ID)
	}
	return fmt.Errorf("there is no question %d: it has %d, with ids from %d to %d; `proctor data show` shows them", id, len(set), least, most)
}
