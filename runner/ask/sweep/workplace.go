package sweep

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"proctor/runner/journal"
)

// A workplace is the folder that a model is made in. Its name has the machine, and a file in it is locked while the process lives: a
// process id would mean another process in a container, on another machine, and after a restart.
type workplace struct {
	folder string
	owner  *os.File
}

const (
	working  = ".making-" // begins its name; the machine and a random number follow
	ownerIn  = "owner"    // the file in it
	attempts = 10         // at a workplace that others take for left over before it is locked
)

// newWorkplace makes one in a cache's folder.
func newWorkplace(cache string, m machine) (w *workplace, err error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	for range attempts {
		folder, err := os.MkdirTemp(cache, working+m.host+"-"+m.boot+"-*")
		if err != nil {
			return nil, err
		}
		w, err := occupy(folder)
		if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, journal.ErrLocked) {
			return w, err
		}
	}
	return nil, errors.New("other processes remove the folder " + filepath.Join(cache, working+"*") + " as soon as it is made: try again")
}

// occupy locks a workplace. Without locks the work continues, as nobody can take the folder for abandoned either.
func occupy(folder string) (*workplace, error) {
	path := filepath.Join(folder, ownerIn)
	owner, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	w := &workplace{folder, owner}
	if err = journal.LockExclusive(owner); err == nil || errors.Is(err, journal.ErrNoLocks) {
		_, err = os.Stat(path) // it may have been removed before it was locked
	}
	if err != nil {
		return nil, errors.Join(err, owner.Close())
	}
	return w, nil
}

// remove deletes the folder.
func (w *workplace) remove() error { return errors.Join(w.owner.Close(), os.RemoveAll(w.folder)) }

// clean removes the workplaces of this machine's killed processes. Another machine's stay, since its locks may not be visible here.
func clean(cache string, m machine) {
	left, _ := filepath.Glob(filepath.Join(cache, working+"*-*-*"))
	for _, folder := range left {
		name := strings.Split(strings.TrimPrefix(filepath.Base(folder), working), "-")
		if name[0] != m.host && name[1] != m.boot {
			continue
		}
		owner, err := os.OpenFile(filepath.Join(folder, ownerIn), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			continue
		}
		if journal.LockExclusive(owner) == nil {
			_ = os.RemoveAll(folder) // the next sweep tries again
			_ = (&workplace{folder, owner}).remove()
		}
		owner.Close()
	}
}

// A machine is identified by its host's name, which survives a restart, or by the kernel's boot id: containers have their own names,
// but share their host's kernel and its locks.
type machine struct{ host, boot string }

func thisMachine() machine {
	host, _ := os.Hostname()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = []byte(host)
	}
	short := func(text string) string { return fmt.Sprintf("%.6x", sha256.Sum256([]byte(text))) }
	return machine{short(host), short(string(boot))}
}
