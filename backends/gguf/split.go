package gguf

import (
	"fmt"
	"regexp"
	"strconv"
)

// partName is how llama.cpp names the parts of a split model: NAME-00001-of-00003.gguf.
var partName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// join adds the other parts of a split model to its first one; open opens a part.
func (f *File) join(open func(path string) (*File, error)) (*File, error) {
	count, _ := f.Int("split.count")
	if count <= 1 {
		return f, nil
	}
	name := partName.FindStringSubmatch(f.Path)
	if name == nil || name[3] != fmt.Sprintf("%05d", count) {
		return nil, fmt.Errorf("%s: one of %d parts of a split model, but not named so: rename the parts to NAME-00001-of-%05d.gguf and "+
			"so on",
			f.Path, count, count)
	}
	if number, _ := strconv.Atoi(name[2]); number != 1 {
		return nil, fmt.Errorf("%s: part %d of a split model: give the first part, %s", f.Path, number, part(name, 1))
	}
	for number := 2; number <= int(count); number++ {
		path := part(name, number)
		p, err := open(path)
		if err != nil {
			return nil, fmt.Errorf("part %d of %d of a split model: %w", number, count, err)
		}
		if index, ok := p.Int("split.no"); !ok || index != int64(number-1) {
			return nil, fmt.Errorf("%s: is not part %d of %d of the split model, as its name says: download it again", path, number, count)
		}
		f.Parts = append(f.Parts, path)
		f.Size += p.Size
		f.Tensors = append(f.Tensors, p.Tensors...)
	}
	if want, ok := f.Int("split.tensors.count"); ok && want != int64(len(f.Tensors)) {
		return nil, fmt.Errorf("%s: the parts hold %d tensors, the model has %d: they do not belong together", f.Path, len(f.Tensors), want)
	}
	return f, nil
}

func part(name []string, number int) string {
	return fmt.Sprintf("%s-%05d-of-%s.gguf", name[1], number, name[3])
}
