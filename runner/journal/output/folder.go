package output

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"unicode"
)

// SyncFolder makes a new file's name as durable as its content. Where a file system cannot (vboxsf, some network drives,
// Windows), or the folder may not be read, the name is written when the system likes, which is no reason not to go on.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err == nil {
		err = errors.Join(folder.Sync(), folder.Close())
	}
	if cannotSync(err) {
		return nil
	}
	return err
}

// Writable refuses a folder that can't be made or written into. It leaves nothing behind.
func Writable(folder string) error {
	info, err := os.Stat(folder)
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	if parent := filepath.Dir(folder); missing && parent != folder {
		return Writable(parent)
	}
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "write into", Path: folder, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return err
	}
	try, err := os.MkdirTemp(folder, ".proctor-")
	if err != nil {
		return err
	}
	return os.Remove(try)
}

// cannotSync says whether an error means that folders are not synced here, rather than that a disk fails.
func cannotSync(err error) bool {
	return slices.ContainsFunc([]error{errors.ErrUnsupported, fs.ErrPermission, syscall.EINVAL, syscall.EBADF, syscall.EISDIR},
		func(known error) bool { return errors.Is(err, known) })
}

// longestName is the most bytes of a folder's name, so that more can follow within the 255 of most file systems.
const longestName = 120

// device matches what Windows takes for a device, whatever the ending.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$`)

// checksum matches the end of a name that marked returns.
var checksum = regexp.MustCompile(`-[0-9a-f]{12}$`)

// Folder makes a text that came from data, such as a model or a subject, the name of one folder, on every system: a model
// called ".." or a subject with a "/" leads nowhere else.
func Folder(text string) string {
	name := strings.Map(func(r rune) rune {
		if r == ' ' || !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, strings.ToValidUTF8(text, "-"))
	plain := strings.TrimRight(strings.TrimLeft(name, ".-"), ".")
	if plain == "" || plain != name || len(plain) > longestName || device.MatchString(plain) || checksum.MatchString(plain) {
		return marked(plain, text)
	}
	return plain
}

// Folders makes each of several texts the name of a folder of its own. Texts that would come to one name, also where case
// makes no difference, have a checksum in it.
func Folders(texts []string) []string {
	count := map[string]int{}
	for _, text := range texts {
		count[strings.ToLower(Folder(text))]++
	}
	names := make([]string, len(texts))
	for i, text := range texts {
		names[i] = Folder(text)
		if count[strings.ToLower(names[i])] > 1 {
			names[i] = marked(names[i], text)
		}
	}
	return names
}

// marked is a name with the checksum of the text that it stands for.
func marked(name, text string) string {
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return strings.TrimLeft(fmt.Sprintf("%s-%.6x", name, sha256.Sum256([]byte(text))), "-")
}
