package importlog

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

const element1 = `{"question_id":%d,"question":"?","options":["a","b"],"answer":"A","category":"law","response":"%s"}`

// TestAnElementThatExpandsWithoutEndIsRefused has some kilobytes of an archive stand for 400 MB.
func TestAnElementThatExpandsWithoutEndIsRefused(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	member, err := z.Create("log.json")
	assert.NilError(t, err)
	before, after, _ := strings.Cut(fmt.Sprintf(element1, 1, "x"), "x")
	io.WriteString(member, "["+before)
	block := bytes.Repeat([]byte("x"), 1<<20)
	for range 400 {
		member.Write(block)
	}
	io.WriteString(member, after+"]")
	assert.NilError(t, z.Close())
	path := filepath.Join(t.TempDir(), "log.zip")
	assert.NilError(t, os.WriteFile(path, archive.Bytes(), 0o644))
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	_, err = Read(path)
	runtime.ReadMemStats(&is)
	errortest.Says(t, err, "log.zip/log.json: element 1: is larger than 16 MiB")
	grown := (is.TotalAlloc - was.TotalAlloc) >> 20
	assert.Check(t, grown <= 100, "%d MB were allocated of an archive of %d kB", grown, archive.Len()>>10)
}

func TestFilesThatAreTooLargeTogetherAreRefused(t *testing.T) {
	log := "[" + strings.Repeat(fmt.Sprintf(element1, 1, "x")+",", 9) + fmt.Sprintf(element1, 2, "y") + "]"
	for _, left := range []int{len(log) / 2, len(log), len(log) + 1} {
		c := collector{latest: map[int]int{}, numbers: map[string]int{}}
		err := c.stream("log.json", &bounded{from: strings.NewReader(log), left: int64(left)})
		if wants := left < len(log); (err != nil) != wants || wants && !strings.Contains(err.Error(), "larger than 1 GiB: unpack it") {
			t.Errorf("%d of %d bytes: error %v", left, len(log), err)
		}
	}
}
