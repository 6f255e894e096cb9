package energy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Powercap is the folder in which Linux shows its power zones.
const Powercap = "/sys/class/powercap"

// number reads a file that has nothing but a number.
func number(path string) (uint64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a count of microjoules", path, strings.TrimSpace(string(text)))
	}
	return n, nil
}

// zones are those of whole processors and of memory, each once; why says why there is none, or one can't be read. A processor's cores
// and graphics are parts of it, a platform's zone has the processors in it, and a second interface (MMIO) counts the same again.
func zones(powercap string) (all []counter, why string) {
	folders, err := os.ReadDir(powercap)
	if err != nil {
		return nil, "the processors' energy is not readable: " + powercap + " is not there, as in virtual machines and containers"
	}
	for _, folder := range folders {
		if strings.HasPrefix(folder.Name(), "intel-rapl-mmio") {
			continue
		}
		path := filepath.Join(powercap, folder.Name())
		text, err := os.ReadFile(filepath.Join(path, "name"))
		called := strings.TrimSpace(string(text))
		if err != nil || !strings.HasPrefix(called, "package-") && called != "dram" {
			continue
		}
		if called == "dram" { // one for each processor
			called = strings.TrimPrefix(folder.Name(), "intel-rapl:") + " dram"
		}
		z := counter{"RAPL " + called, func() (count, most uint64, err error) {
			if count, err = number(filepath.Join(path, "energy_uj")); err != nil {
				return 0, 0, err
			}
			most, err = number(filepath.Join(path, "max_energy_range_uj"))
			if errors.Is(err, fs.ErrNotExist) {
				return count, 0, nil
			}
			return count, most, err
		}}
		switch _, _, err := z.read(); {
		case errors.Is(err, fs.ErrPermission):
			return nil, fmt.Sprintf("the processors' energy is not readable: %s is for root alone; to let others read it until the machine "+
				"starts again: sudo chmod a+r %s/*/energy_uj", filepath.Join(path, "energy_uj"), powercap)
		case err != nil:
			return nil, "the processors' energy is not readable: " + err.Error()
		}
		all = append(all, z)
	}
	if len(all) == 0 {
		return nil, "the processors' energy is not readable: " + powercap + " has no zone of a processor"
	}
	return all, ""
}
