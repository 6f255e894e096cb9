package engines

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"proctor/backends/embedded/selftest"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/shared"
	"proctor/backends/setting"
)

// PublisherVariable is the environment's way to name a mirror: an address that answers as GitHub's API of releases
// does.
const PublisherVariable = "PROCTOR_ENGINE_RELEASES"

const llamaReleases = "https://api.github.com/repos/ggml-org/llama.cpp/releases"

// GPUs are the kinds of GPUs that builds exist for.
var GPUs = []string{"vulkan", "cuda", "rocm", "metal"}

// toolkits are what the builds for a kind of GPUs, "" for CPUs alone, are called after. Apple's have Metal always.
var toolkits = map[string][]string{
	"": {"", "cpu"}, "metal": {"", "cpu"}, "vulkan": {"vulkan"}, "cuda": {"cuda"}, "rocm": {"rocm", "hip"},
}

// published is a release as its publisher describes it.
type published struct {
	Tag    string  `json:"tag_name"`
	Assets []asset `json:"assets"`

	address *url.URL
}

// asset is a file of a release.
type asset struct {
	Name    string `json:"name"`
	Size    int64  `json:"size"`
	Digest  string `json:"digest"` // sha256:…
	Address string `json:"browser_download_url"`
}

// Pull keeps a published release, "" for the latest, with a backend for a kind of GPUs, "" for CPUs alone. The archives
// are checked against the publisher's checksums. fetch downloads a file of this size and SHA-256 to a path, and resumes
// a partial one. An engine that is there already is left alone.
func (s Store) Pull(
	ctx context.Context, version, kind string,
	fetch func(ctx context.Context, address, name string, size int64, sha256, to string) error,
) (kept Engine, err error) {
	if s.Folder == "" {
		return kept, errors.New("there is no data folder to keep an engine in: set PROCTOR_DATA")
	}
	release, err := publishedAs(ctx, version)
	if err != nil {
		return kept, err
	}
	assets, err := release.choose(kind)
	if err != nil {
		return kept, err
	}
	name := release.Tag
	if kind != "" {
		name += "-" + kind
	}
	folder := filepath.Join(s.Folder, name)
	if holds(folder) {
		return s.Find(ctx, name, nil)
	}
	if _, err := os.Lstat(folder); err == nil {
		return kept, fmt.Errorf("%s is in the way, and is no engine: delete it, and pull again", folder)
	}
	partials := filepath.Join(s.Folder, ".pull", name)
	if err := os.MkdirAll(partials, 0o755); err != nil {
		return kept, err
	}
	var archives []string
	for _, a := range assets {
		to := filepath.Join(partials, filepath.Base(a.Name))
		address, err := release.address.Parse(a.Address)
		if err != nil {
			return kept, fmt.Errorf("%s: %w", a.Name, err)
		}
		if err := fetch(ctx, address.String(), a.Name, a.Size, strings.TrimPrefix(a.Digest, "sha256:"), to); err != nil {
			return kept, err
		}
		archives = append(archives, to)
	}
	staging, err := os.MkdirTemp(s.Folder, ".adding-*") // no engine can be called so
	if err != nil {
		return kept, err
	}
	defer os.RemoveAll(staging)
	staging = absolute(staging)
	if err := os.Chmod(staging, 0o755); err != nil { // MkdirTemp makes it private
		return kept, err
	}
	for _, path := range archives {
		if err := unpack(ctx, path, staging); err != nil {
			return kept, fmt.Errorf("%s: %w", path, err)
		}
	}
	source := strings.Join(archives, ", ")
	if _, err := shared.File(staging, "llama"); err != nil {
		return kept, fmt.Errorf("%s: %w: pull another release", source, err)
	}
	named := func(text string) error { return errors.New(strings.ReplaceAll(text, staging, source)) }
	if kept, err = (Engine{Name: name, Folder: staging}).describe(ctx, nil); err != nil {
		return kept, err
	}
	if kept.Problem != "" {
		return kept, named(kept.Problem)
	}
	var options llamacpp.Options
	options.Engine, options.Kernels = staging, kept.Kernels
	verdict, err := selftest.Apart(ctx, options)
	if err != nil {
		return kept, err
	}
	if verdict.Died != "" {
		return kept, named(fmt.Sprintf("%s: %s could not answer the self-test: %s", source, kept.Release, verdict.Died))
	}
	if !verdict.OK() {
		return kept, fmt.Errorf("%s: %s computes wrong on this machine: %s", source, kept.Release, verdict.Differences[0])
	}
	kept.Folder = absolute(folder)
	if err := os.Rename(staging, kept.Folder); err != nil {
		return kept, err
	}
	return kept, os.RemoveAll(partials)
}

// publishedAs asks the publisher for the release of a version.
func publishedAs(ctx context.Context, version string) (r published, err error) {
	r.address, err = url.Parse(cmp.Or(os.Getenv(PublisherVariable), llamaReleases))
	if err != nil || r.address.Host == "" || !slices.Contains([]string{"http", "https"}, r.address.Scheme) {
		return r, fmt.Errorf("%s is not an http or https address: correct it or unset it", PublisherVariable)
	}
	r.address = r.address.JoinPath("latest")
	if version != "" {
		r.address = r.address.JoinPath("..", "tags", version)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.address.String(), nil)
	if err != nil {
		return r, err
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	response, err := http.DefaultClient.Do(request) // its transport reads HTTPS_PROXY and NO_PROXY
	if err != nil {
		return r, err
	}
	defer response.Body.Close()
	shown := r.address.Redacted()
	switch {
	case response.StatusCode == http.StatusNotFound:
		return r, fmt.Errorf("%s: there is no release %s: name one as its publisher does, such as b10361", shown,
			cmp.Or(version, "at all"))
	case response.StatusCode != http.StatusOK:
		var answer struct{ Message string }
		_ = json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&answer) // the status says enough
		return r, fmt.Errorf("%s: %s: %s", shown, response.Status, cmp.Or(answer.Message, "no message"))
	}
	const most = 16 << 20
	if err := json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&r); err != nil {
		return r, fmt.Errorf("%s: it does not answer as GitHub's API of releases does: %w", shown, err)
	}
	if !canBeCalled(r.Tag) {
		return r, fmt.Errorf("%s: it does not answer as GitHub's API of releases does: a release is called %q", shown, r.Tag)
	}
	return r, nil
}

var engineName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// canBeCalled says whether an engine can have a name.
func canBeCalled(name string) bool {
	return engineName.MatchString(name) && name != "builtin" && name != "auto"
}

// assetName matches the archives that are builds: system, what they compute on, processor.
var assetName = regexp.MustCompile(`^llama-.+-bin-(ubuntu|macos|win)-(?:([a-z].*)-)?(x64|arm64|s390x)` +
	`\.(?:tar\.gz|zip)$`)

// choose finds the archive for this machine, and the one with the libraries that it needs besides, where there is one.
func (r published) choose(kind string) ([]asset, error) {
	system := map[string]string{"linux": "ubuntu", "darwin": "macos", "windows": "win"}[runtime.GOOS]
	processor := cmp.Or(map[string]string{"amd64": "x64"}[runtime.GOARCH], runtime.GOARCH)
	var fit []asset
	var others []string
	for _, a := range r.Assets {
		part := assetName.FindStringSubmatch(a.Name)
		if part == nil || part[1] != system || part[3] != processor {
			continue
		}
		toolkit, _, _ := strings.Cut(part[2], "-")
		if slices.Contains(toolkits[kind], toolkit) && (kind != "metal" || system == "macos") {
			fit = append(fit, a)
		}
		others = append(others, a.Name)
	}
	if len(fit) == 0 {
		return nil, fmt.Errorf("release %s has no build for %s on %s (%s): it has %s", r.Tag, cmp.Or(kind, "CPUs"), system,
			processor, cmp.Or(strings.Join(others, ", "), "none for this machine"))
	}
	version := func(a asset) string { // of the toolkit; the oldest runs with the most drivers
		_, version, _ := strings.Cut(assetName.FindStringSubmatch(a.Name)[2], "-")
		return "v" + version
	}
	chosen := []asset{slices.MinFunc(fit, func(a, b asset) int { return semver.Compare(version(a), version(b)) })}
	_, build, _ := strings.Cut(chosen[0].Name, "-bin-")
	for _, a := range r.Assets {
		if strings.HasPrefix(a.Name, "cudart-llama-") && strings.HasSuffix(a.Name, "-bin-"+build) {
			chosen = append(chosen, a)
		}
	}
	for _, a := range chosen {
		if sum, found := strings.CutPrefix(a.Digest, "sha256:"); !found || len(sum) != 64 {
			return nil, fmt.Errorf("release %s: its publisher gives no checksum of %s: download and unpack it yourself, and "+
				"give its folder: %s", r.Tag, a.Name, setting.Engine.As("DIR"))
		}
	}
	return chosen, nil
}

// mostBytes bounds what an archive may unpack to; with CUDA's libraries a build has some gigabytes.
const mostBytes = 16 << 30

// unpack unpacks the libraries of a tar.gz or a zip into a folder, whatever folder of the archive they are in: of a
// name the first.
func unpack(ctx context.Context, archive, into string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	magic := make([]byte, 4)
	_, _ = file.ReadAt(magic, 0) // a shorter file is none of these
	u := unpacking{ctx: ctx, into: into, left: mostBytes}
	if bytes.HasPrefix(magic, []byte("PK")) {
		return u.zip(file, info.Size())
	}
	if !bytes.HasPrefix(magic, []byte{0x1f, 0x8b}) {
		return errors.New("neither a .tar.gz nor a .zip")
	}
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for from := tar.NewReader(plain); ; {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("damaged: %w", err)
		}
		mode, target := header.FileInfo().Mode(), header.Linkname
		if header.Typeflag == tar.TypeLink {
			mode, target = fs.ModeSymlink, path.Base(target)
		}
		if err := u.take(header.Name, mode, target, from); err != nil {
			return err
		}
	}
}

type unpacking struct {
	ctx  context.Context
	into string
	left int64 // bytes that may come
}

func (u *unpacking) zip(file io.ReaderAt, size int64) error {
	from, err := zip.NewReader(file, size)
	if err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	for _, entry := range from.File {
		content, err := entry.Open()
		if err != nil {
			return fmt.Errorf("damaged: %s: %w", entry.Name, err)
		}
		err = u.take(entry.Name, entry.Mode(), "", content)
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// take unpacks a library, or a link to one beside it, such as libllama.so.0. Others are left out.
func (u *unpacking) take(name string, mode fs.FileMode, target string, content io.Reader) error {
	link := mode&fs.ModeSymlink != 0
	if link && target == "" { // a zip has it as the content
		text, err := io.ReadAll(io.LimitReader(content, 4096))
		if err != nil {
			return err
		}
		target = string(text)
	}
	switch {
	case u.ctx.Err() != nil:
		return context.Cause(u.ctx)
	case !link && !mode.IsRegular(), !belongs.MatchString(filepath.Base(name)):
		return nil
	case link && (filepath.Base(target) != target || !belongs.MatchString(target)):
		return nil
	}
	to := filepath.Join(u.into, filepath.Base(name))
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if link {
		return os.Symlink(target, to)
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) // no link is written through
	if err != nil {
		return err
	}
	n, err := io.Copy(file, io.LimitReader(content, u.left+1))
	if u.left -= n; err == nil && u.left < 0 {
		err = errors.New("it unpacks to more than a build of llama.cpp has")
	}
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
