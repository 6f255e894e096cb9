package logprobs

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/backends"
	"proctor/runner/journal"
)

// piecesName is what the file with the tokens' texts is called in its run's folder.
const piecesName = "pieces.bin"

const piecesMagic = "pieces"

// pieces appends the texts of tokens, each once.
type pieces struct {
	file *os.File
	of   func(token int32) string
	seen map[int32]string
	buf  []byte
}

func piecesPath(run string) string { return filepath.Join(filepath.Dir(Path(run)), piecesName) }

// piecesHead is what the file of a vocabulary begins with.
func piecesHead(kept journal.Logprobs) []byte {
	sum, _ := hex.DecodeString(kept.VocabularySHA256) // which Continue has looked at
	return append(append([]byte(piecesMagic), version), sum...)
}

// Spell has the writer keep the texts of the tokens, too, which of tells.
func (w *Writer) Spell(run string, kept journal.Logprobs, of func(token int32) string) error {
	path, head := piecesPath(run), piecesHead(kept)
	had, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	seen, whole := parsePieces(had, head)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	if whole == 0 {
		_, err = f.WriteAt(head, 0)
		whole = len(head)
	}
	if err == nil {
		err = f.Truncate(int64(whole))
	}
	if err == nil {
		_, err = f.Seek(int64(whole), 0)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	w.pieces = &pieces{file: f, of: of, seen: seen}
	return nil
}

// parsePieces reads a file's content: the texts by their tokens, and where the last whole one ends; 0 of another vocabulary.
func parsePieces(content, head []byte) (all map[int32]string, whole int) {
	all = map[int32]string{}
	if !bytes.HasPrefix(content, head) {
		return all, 0
	}
	for whole = len(head); ; {
		d := decoder{rest: content[whole:]}
		token, text := d.uvarint(), ""
		if length := d.uvarint(); length <= uint64(len(d.rest)) {
			text = string(d.bytes(length))
		} else {
			d.bad = true
		}
		if d.bad || token > 1<<31-1 {
			return all, whole
		}
		all[int32(token)] = text
		whole = len(content) - len(d.rest)
	}
}

// add writes the texts of the tokens that predictions name and that are not there yet.
func (p *pieces) add(predictions []backends.Prediction) error {
	if p == nil {
		return nil
	}
	p.buf = p.buf[:0]
	add := func(token int32) {
		if _, known := p.seen[token]; known {
			return
		}
		text := p.of(token)
		p.seen[token] = text
		p.buf = append(binary.AppendUvarint(binary.AppendUvarint(p.buf, uint64(token)), uint64(len(text))), text...)
	}
	for _, prediction := range predictions {
		add(prediction.Token)
		for _, likely := range prediction.Top {
			add(likely.Token)
		}
	}
	if len(p.buf) == 0 {
		return nil
	}
	_, err := p.file.Write(p.buf)
	return err
}

func (p *pieces) close() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.file.Sync(), p.file.Close())
}

// Pieces are the texts of the tokens that a run's file names; none where the run did not keep them.
func Pieces(run string, kept journal.Logprobs) (map[int32]string, error) {
	content, err := os.ReadFile(piecesPath(run))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all, _ := parsePieces(content, piecesHead(kept))
	return all, nil
}
