package logprobs

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
)

// A Reader reads parts. It may be used by several goroutines.
type Reader struct {
	file *os.File
	top  int
}

// Open opens a run's file and checks it against the journal's header.
func Open(run string, kept journal.Logprobs) (*Reader, error) {
	f, err := os.Open(Path(run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the journal was written with %s, but its log-probabilities are not beside it (%w): "+
			"restore the file", Path(run), setting.KeepLogprobs, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	head := make([]byte, header)
	_, err = f.ReadAt(head, 0)
	switch top := int(head[len(magic)+1]); {
	case err != nil || string(head[:len(magic)]) != magic:
		err = errors.New("holds no log-probabilities: restore the file")
	case head[len(magic)] != version:
		err = fmt.Errorf("is of version %d, and this program reads %d: use the proctor that wrote it", head[len(magic)], version)
	case top != kept.Top || hex.EncodeToString(head[len(magic)+2:]) != kept.VocabularySHA256:
		err = errors.New("belongs to another run: it is of another vocabulary than the journal beside it")
	default:
		return &Reader{f, top}, nil
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", f.Name(), err), f.Close())
}

// Item reads an item's part. Predictions have no AskLogprobs and no Reference.
func (r *Reader) Item(id string, part journal.Span) ([]backends.Prediction, error) {
	content := read(r.file, part)
	if content == nil {
		return nil, fmt.Errorf("%s: the part of %s is damaged or cut off: `proctor run %s` asks the item again", r.file.Name(), id,
			setting.Resume)
	}
	whose, predictions, err := decode(content, r.top)
	if err == nil && whose != id {
		err = fmt.Errorf("is that of %q", whose)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the part of %s %w", r.file.Name(), id, err)
	}
	return predictions, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }
