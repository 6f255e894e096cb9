//go:build !windows

package output

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// begin begins the file that is to take the name, beside it.
func begin(path string) (File, error) {
	return renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o644),
		renameio.WithExistingPermissions())
}
