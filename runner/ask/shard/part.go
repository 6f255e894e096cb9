package shard

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// A part is one shard's journal.
type part struct {
	path string
	run  *journal.Reader

	items, failed int
	whole         bool // its items are those that its header counts
	questions     map[question]bool
	err           error
}

type question struct {
	subject string
	id      int
}

func (p *part) shard() *journal.Shard { return p.run.Header.History.Last().Shard }

// inspect reads all shards, several at a time.
func (t *task) inspect() error {
	var reading sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range t.shards {
		places <- struct{}{}
		reading.Go(func() {
			p.err = p.read()
			<-places
		})
	}
	reading.Wait()
	for _, p := range t.shards {
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// read goes through the lines. It keeps only ids and questions, and the ids only until it is done.
func (p *part) read() error {
	failed := map[string]bool{} // by id
	p.questions = map[question]bool{}
	for record, err := range p.run.Records() {
		if err != nil {
			return err
		}
		failed[record.ID] = record.Again()
		p.questions[question{record.Subject, record.QuestionID}] = true
	}
	p.items = len(failed)
	ids := make([]string, 0, len(failed))
	for id, did := range failed {
		ids = append(ids, id)
		if did {
			p.failed++
		}
	}
	p.whole = journal.DigestIDs(ids) == p.shard().IDsSHA256
	if !p.whole && p.items >= p.shard().Items {
		return fmt.Errorf("%s: its items are not those that its header counts: the file was changed", p.path)
	}
	return nil
}

// unfinished says what a shard still has to ask, and how to do that; empty where it is complete.
func (p *part) unfinished() string {
	if p.whole {
		return ""
	}
	return fmt.Sprintf("shard %d of %d is not finished (%s of %s): proctor run %s", p.shard().Index, p.shard().Count,
		format.Count(p.items), format.Several(p.shard().Items, "item"), setting.Command(setting.Resume.String(), filepath.Dir(p.path)))
}
