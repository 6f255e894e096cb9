package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// try opens files in children and writes the tally; it returns how many did what none must.
func try(program string, o options, out io.Writer) (bad int, err error) {
	folder, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	c, err := newCorpus(folder, o.seed)
	if err != nil {
		return 0, err
	}
	t := newTally()
	numbers, failed := make(chan int), make(chan error, o.jobs)
	var working sync.WaitGroup
	for job := range o.jobs {
		path := filepath.Join(folder, fmt.Sprintf("mutation-%d.gguf", job))
		working.Go(func() {
			for number := range numbers {
				if err := c.try(program, o, path, number, t, out); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	for number := o.first; number < o.first+o.number && err == nil; number++ {
		select {
		case numbers <- number:
		case err = <-failed:
		}
	}
	close(numbers)
	working.Wait()
	if err == nil && len(failed) > 0 {
		err = <-failed
	}
	fmt.Fprintf(out, "seed %d, files %d to %d of %d mutations of %d models\n", o.seed, o.first, o.first+o.number-1, len(c.all),
		len(c.models))
	t.write(out)
	return t.bad(), err
}

// try opens the file of a number, which is written to path.
func (c *corpus) try(program string, o options, path string, number int, t *tally, out io.Writer) error {
	m, content := c.mutation(number)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err
	}
	became := watch(program, path, int64(len(content)))
	t.add(m.kind, became, number)
	if o.keep != "" && (became.bad() || o.number == 1) {
		if err := os.WriteFile(filepath.Join(o.keep, fmt.Sprintf("%d.gguf", number)), content, 0o600); err != nil {
			return err
		}
	}
	if o.list || became.bad() {
		t.Lock()
		defer t.Unlock()
		fmt.Fprintf(out, "%d %s: %s, %s: %s: %s\n", number, c.names[m.model], m.kind, strings.ToValidUTF8(m.about, "?"), became.fate,
			strings.ToValidUTF8(became.why, "?"))
	}
	return nil
}
