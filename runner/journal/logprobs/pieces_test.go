package logprobs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
)

func piece(token int32) string { return fmt.Sprintf("\xc3%d", token) } // a part of a character

func TestTokensKeepTheirTexts(t *testing.T) {
	run := filepath.Join(t.TempDir(), journal.FileName)
	all := append(predictions(5, 1), predictions(7, 2)...)
	for i := range 2 { // a run that is killed in between, whose last text is cut off
		w, _, err := Continue(run, kept, nil)
		assert.NilError(t, err)
		assert.NilError(t, w.Spell(run, kept, piece))
		if _, err := w.Append("a", all[:5+7*i]); err != nil {
			t.Fatal(err)
		}
		assert.NilError(t, w.Close())
		if info, err := os.Stat(piecesPath(run)); err != nil || i == 0 && os.Truncate(piecesPath(run), info.Size()-2) != nil {
			t.Fatal(err)
		}
	}
	texts, err := Pieces(run, kept)
	assert.NilError(t, err)
	named := map[int32]bool{}
	for _, p := range all {
		named[p.Token] = true
		for _, likely := range p.Top {
			named[likely.Token] = true
		}
	}
	for token := range named {
		if texts[token] != piece(token) {
			t.Errorf("token %d is %q, not %q", token, texts[token], piece(token))
		}
	}
	if len(texts) != len(named) {
		t.Errorf("%d texts of %d tokens", len(texts), len(named))
	}
	other := kept
	other.VocabularySHA256 = strings.Repeat("cd", 32)
	if texts, err := Pieces(run, other); err != nil || len(texts) > 0 {
		t.Errorf("another vocabulary has %d texts, %v", len(texts), err)
	}
	if texts, err := Pieces(filepath.Join(t.TempDir(), journal.FileName), kept); err != nil || len(texts) > 0 {
		t.Errorf("a run without the file has %d texts, %v", len(texts), err)
	}
}
