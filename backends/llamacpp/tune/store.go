package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/klauspost/cpuid/v2"

	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
)

// Store is where the calibrations of one model file, on one machine, by one build are kept. The zero Store keeps none.
type Store struct{ path string }

// OpenStore finds the place in a folder for what is chosen beginning with s, for the model of this digest. What the choice
// depends on is in the file's name: a run that was small, or short of memory, does not decide for one that is not.
func OpenStore(folder, digest string, s engine.Settings) Store {
	if folder == "" {
		return Store{}
	}
	gpus := strings.Join(s.Devices, ", ")
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%d threads, %d layers on %s, %s cache, context %d, %d slots, kernels %s %s %d",
		digest, s.Version, s.Features, cpuid.CPU.BrandName,
		s.Threads, s.GPULayers, gpus, s.KVType, s.Context, s.Slots, s.Kernels, s.KernelLevel, kernels.Revision))
	return Store{filepath.Join(folder, "tuning-"+hex.EncodeToString(key[:8])+".json")}
}

// find reads the calibration that was kept. One that cannot be read is as good as none: it is made again.
func (s Store) find() (Calibration, bool) {
	if s.path == "" {
		return Calibration{}, false
	}
	var c Calibration
	content, err := os.ReadFile(s.path)
	if err != nil || json.Unmarshal(content, &c) != nil || c.Engine.Slots < 1 || c.Engine.Microbatch < 1 || c.Engine.Threads < 1 {
		return Calibration{}, false
	}
	c.stored = true
	return c, true
}

// keep writes the calibration for later runs. A folder that cannot be written to only costs them the time.
func (s Store) keep(c Calibration) error {
	if s.path == "" {
		return nil
	}
	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	err = os.MkdirAll(filepath.Dir(s.path), 0o755)
	if err == nil {
		err = maybe.WriteFile(s.path, append(content, '\n'), 0o644)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
