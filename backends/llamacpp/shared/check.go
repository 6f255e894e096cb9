package shared

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// machines are the processors that libraries are made for, by Go's names.
var machines = map[string]elf.Machine{
	"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "386": elf.EM_386, "arm": elf.EM_ARM, "riscv64": elf.EM_RISCV,
	"ppc64le": elf.EM_PPC64, "s390x": elf.EM_S390, "loong64": elf.EM_LOONGARCH,
}

// Check refuses a library that the system's loader does not survive, or has no clear word for: one that is cut short, or is made for
// another processor. Other systems than those with ELF files have loaders that say so.
func Check(path string) error {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return nil
	}
	name := filepath.Base(path)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is damaged, or no library of this system (%w): fetch it again", name, err)
	}
	defer file.Close()
	if want, known := machines[runtime.GOARCH]; known && file.Machine != want {
		short := func(m elf.Machine) string { return strings.ToLower(strings.TrimPrefix(m.String(), "EM_")) }
		return fmt.Errorf("%s is made for %s, this machine is %s: take the build for this one", name, short(file.Machine), short(want))
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_LOAD && part.Off+part.Filesz > uint64(info.Size()) {
			return fmt.Errorf("%s is cut short, at byte %d of %d: fetch it again", name, info.Size(), part.Off+part.Filesz)
		}
	}
	return nil
}
