package registry

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"

	"proctor/backends"
	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/quantize"
	"proctor/backends/machine"
	"proctor/backends/setting"
)

// A Quantizer makes models of others.
type Quantizer struct {
	Threads int // 0: as many as there are cores

	engine engines.Quantizer
}

// SourceOf reads what a reference means, a GGUF file's or one of Ollama's local store, and takes the checksums. The
// quantizer is the engine that the options name for it.
func SourceOf(ctx context.Context, ref, importance string, o Options) (backends.Source, Quantizer, error) {
	z := Quantizer{Threads: o.Threads}
	file, err := File(ref)
	if err != nil {
		return backends.Source{}, z, err
	}
	s := backends.Source{
		Path: file.Path, Bytes: file.TensorBytes(), Type: file.FileType(), Importance: importance,
		Read: map[string]fs.FileInfo{},
	}
	chosen, _, err := o.engineFor(ctx, file.Path)
	if err == nil && chosen.Folder == "" {
		err = llama.NeedBuiltin("")
	}
	if err != nil {
		return s, z, fmt.Errorf("%s cannot be quantised: %w", ref, err)
	}
	z.engine.Folder, s.Engine = chosen.Folder, chosen.Release
	if s.SHA256, err = digest(ctx, &s, file); err != nil || importance == "" {
		return s, z, err
	}
	matrix, err := gguf.Open(importance)
	if err != nil {
		return s, z, fmt.Errorf("%s %w", setting.Imatrix, err)
	}
	s.ImportanceSHA256, err = digest(ctx, &s, matrix)
	return s, z, err
}

// digest takes a file's checksum, and remembers which file that is.
func digest(ctx context.Context, s *backends.Source, file *gguf.File) (string, error) {
	for _, part := range file.Parts {
		info, err := os.Stat(part)
		if err != nil {
			return "", err
		}
		s.Read[part] = info
	}
	return file.SHA256(ctx)
}

// changed is an error where a file has changed since its checksum was taken: the source of the result would be unknown.
func changed(s backends.Source) error {
	for path, read := range s.Read {
		now, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !os.SameFile(read, now) || read.Size() != now.Size() || !read.ModTime().Equal(now.ModTime()) {
			return fmt.Errorf("%s changed since its checksum was taken: begin again with the file as it is now", path)
		}
	}
	return nil
}

// Estimate is about how large a source's file of a type will be; the error says why there can be none.
func (z Quantizer) Estimate(s backends.Source, fileType string) (int64, error) {
	file, err := gguf.Open(s.Path)
	if err == nil {
		err = quantize.Whole(file)
	}
	if err != nil {
		return 0, err
	}
	plan, err := quantize.Estimate(file, fileType, s.Importance != "")
	return plan.Bytes, err
}

// Quantize writes a source's model of a type to a file. It is an error where the source's files are not, or while they
// were read did not stay, those whose checksums were taken; the file is not to be used then.
func (z Quantizer) Quantize(
	ctx context.Context, s backends.Source, fileType, to string, progress func(share float64),
) error {
	if err := changed(s); err != nil {
		return err
	}
	err := quantize.Write(ctx, quantize.Options{
		Source: s.Path, Target: to, Type: fileType, Threads: cmp.Or(z.Threads, machine.Cores()), Imatrix: s.Importance,
		Progress: func(p quantize.Progress) { progress(p.Share) }, Engine: z.engine,
	})
	if err != nil {
		return err
	}
	return changed(s)
}
