package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/report/plots"
)

// PlotsFlag is the folder that figures are drawn into.
func PlotsFlag(to *string) cli.Flag {
	return flags.Text(to, "plots", "RESULT", "", "draw the figures into `DIR` as SVG and PNG")
}

// Plot draws figures into a folder, which is made where it is not there; none where dir is empty.
func (p *Program) Plot(dir string, figures []plots.Figure) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("--plots %s: %w: name a folder that can be written", dir, err)
	}
	for _, file := range plots.Files(figures) {
		if err := p.DeliverBy(filepath.Join(dir, file.Name), file.Write); err != nil {
			return err
		}
	}
	return nil
}
