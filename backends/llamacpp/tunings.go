package llamacpp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/klauspost/cpuid/v2"
)

// tunings is where the calibrations of one model file, on one machine, by one build are kept.
type tunings struct{ path string } // empty: they are not kept

// openTunings finds the place for what is chosen beginning with s. What the choice depends on is in the file's name: a
// run that was small, or short of memory, does not decide for one that is not.
func (m *Model) openTunings(ctx context.Context, s settings) (tunings, error) {
	sum, err := m.digest.wait(ctx) // it would compute beside the calibration
	if err != nil {
		return tunings{}, err
	}
	if m.options.TuningFolder == "" {
		return tunings{}, nil
	}
	gpus := strings.Join(GPUs(), ", ")
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%d threads, %d layers on %s, %s cache, context %d, %d slots",
		sum, Version, systemInfo(), cpuid.CPU.BrandName, s.threads, m.options.GPULayers, gpus, s.kvType, s.context, s.sequences))
	return tunings{filepath.Join(m.options.TuningFolder, "tuning-"+hex.EncodeToString(key[:8])+".json")}, nil
}

// find reads the calibration that was kept. One that cannot be read is as good as none: it is made again.
func (t tunings) find() (calibration, bool) {
	if t.path == "" {
		return calibration{}, false
	}
	var c calibration
	content, err := os.ReadFile(t.path)
	if err != nil || json.Unmarshal(content, &c) != nil || c.Tuning.Slots < 1 || c.Tuning.Microbatch < 1 {
		return calibration{}, false
	}
	c.kept = true
	return c, true
}

// keep writes the calibration for later runs. A folder that cannot be written to only costs them the time.
func (t tunings) keep(c calibration) error {
	if t.path == "" {
		return nil
	}
	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	err = os.MkdirAll(filepath.Dir(t.path), 0o755)
	if err == nil {
		err = renameio.WriteFile(t.path, append(content, '\n'), 0o644)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
