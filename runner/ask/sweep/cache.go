package sweep

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/format"
)

// A Quantizer converts models to another type.
type Quantizer interface {
	// Estimate is the size in bytes of a source's model of a type; the error says why there can be none.
	Estimate(source backends.Source, fileType string) (int64, error)
	// Quantize writes the model to a new file, and reports the share done. After an error the file is not used.
	Quantize(ctx context.Context, source backends.Source, fileType, to string, progress func(share float64)) error
}

// A Cache is a folder of quantised models. Their names have the checksum of everything that determines their bytes: the source, the
// type, the importance matrix and the engine's version. A file gets its name when it is complete.
type Cache struct {
	Folder string
	Quantizer
}

// Path is the file of the source's model of a type, existing or not.
func (c *Cache) Path(s backends.Source, fileType string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.SHA256, fileType, s.ImportanceSHA256, s.Engine}, "\n")))
	name := strings.TrimSuffix(filepath.Base(s.Path), filepath.Ext(s.Path))
	name = strings.TrimSuffix(name, "-"+s.Type)
	return filepath.Join(c.Folder, fmt.Sprintf("%s-%s-%.8x.gguf", name, fileType, sum))
}

// Has says whether the cache has the model.
func (c *Cache) Has(s backends.Source, fileType string) bool {
	info, err := os.Stat(c.Path(s, fileType))
	return err == nil && info.Mode().IsRegular()
}

// Check refuses types that cannot be made from the source, and more data than the disk has room for.
func (c *Cache) Check(s backends.Source, types []string) error {
	all := int64(0)
	for _, t := range types {
		bytes, err := c.Estimate(s, t)
		if err != nil {
			return fmt.Errorf("%s: %w", setting.Types.As(t), err)
		}
		if !c.Has(s, t) {
			all += bytes
		}
	}
	return c.Room(all)
}

// Room refuses to make more than the disk has room for.
func (c *Cache) Room(bytes int64) error {
	there := c.Folder
	for filepath.Dir(there) != there {
		if _, err := os.Stat(there); err == nil {
			break
		}
		there = filepath.Dir(there)
	}
	usage, err := disk.Usage(there)
	if err != nil || bytes <= int64(usage.Free) {
		return nil // where the disk's space is unknown, writing will fail or not
	}
	return fmt.Errorf("%s: the models to be made take %s, and %s is free there: make room, name a folder on another disk, or "+
		"leave types out", setting.Cache.As(c.Folder), format.Size(bytes, ""), format.Size(int64(usage.Free), "nothing"))
}

// Make returns the path of the source's model of a type, and makes it if the cache does not have it.
func (c *Cache) Make(ctx context.Context, s backends.Source, fileType string, progress func(share float64)) (path string, err error) {
	path = c.Path(s, fileType)
	if c.Has(s, fileType) {
		return path, nil
	}
	bytes, err := c.Estimate(s, fileType)
	if err == nil {
		err = c.Room(bytes)
	}
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return "", err
	}
	owner, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer owner.Close()
	err = journal.LockExclusive(owner)
	if errors.Is(err, journal.ErrLocked) {
		return "", fmt.Errorf("%s is being made by another process: wait for that, then give %s", path, setting.Resume)
	}
	if err != nil && !errors.Is(err, journal.ErrNoLocks) {
		return "", err
	}
	defer os.Remove(owner.Name())
	if err == nil { // what processes left that were killed
		left, _ := filepath.Glob(filepath.Join(c.Folder, "*"+filepath.Base(path)+".part-*"))
		for _, part := range left {
			_ = os.Remove(part)
		}
	}
	part := path + ".part-" + rand.Text() // another process may make the same where there are no locks
	err = c.Quantize(ctx, s, fileType, part, progress)
	if err == nil {
		var file *os.File
		if file, err = os.Open(part); err == nil { // put it on the disk
			err = errors.Join(file.Sync(), file.Close())
		}
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
		return "", err
	}
	return path, output.SyncFolder(c.Folder)
}
