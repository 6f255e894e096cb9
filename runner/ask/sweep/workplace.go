package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"proctor/runner/journal/lock"
)

// A workplace is the folder that a model is made in. Its name says on which machine, and a file in it is locked as long as the
// process lives: a process id would mean another process in a container, on another machine, and after a restart.
type workplace struct {
	folder string
	owner  *os.File
}

const (
	working = ".making-"  // begins its name; the machine and a random number follow
	ownerIn = "owner"     // the file in it
	young   = time.Minute // is a workplace that may not be locked yet
)

// newWorkplace makes one in a cache's folder. Where there are no locks the work goes on, as nobody can take it for left over either.
func newWorkplace(cache string, m machine) (*workplace, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(cache, working+m.host+"-"+m.boot+"-*")
	if err != nil {
		return nil, err
	}
	owner, err := os.Create(filepath.Join(folder, ownerIn))
	if err == nil {
		if err = lock.Exclusive(owner); err == nil || errors.Is(err, lock.ErrNone) {
			return &workplace{folder, owner}, nil
		}
	}
	return nil, err
}

// remove removes it with all that it holds.
func (w *workplace) remove() error { return errors.Join(w.owner.Close(), os.RemoveAll(w.folder)) }

// clean removes the workplaces that this machine's processes left when they were killed. Another machine's stay: its locks may
// not be seen here.
func clean(cache string, m machine) {
	left, _ := filepath.Glob(filepath.Join(cache, working+"*-*-*"))
	for _, folder := range left {
		name := strings.Split(strings.TrimPrefix(filepath.Base(folder), working), "-")
		info, err := os.Stat(folder)
		if err != nil || time.Since(info.ModTime()) < young || name[0] != m.host && name[1] != m.boot {
			continue
		}
		owner, err := os.OpenFile(filepath.Join(folder, ownerIn), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			continue
		}
		if lock.Exclusive(owner) == nil {
			_ = os.RemoveAll(folder) // what cannot be removed is tried again by the next sweep
		}
		owner.Close()
	}
}

// A machine is told by its host's name, which stays when it is started anew, or by the kernel's start: containers have names
// of their own, but their host's kernel and its locks.
type machine struct{ host, boot string }

func thisMachine() machine {
	host, _ := os.Hostname()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = []byte(host)
	}
	return machine{short(host), short(string(boot))}
}

// short is what stands for a text in a name.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
