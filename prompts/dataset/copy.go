package dataset

import "io/fs"

// A Copy is an imported set that lies elsewhere than in the data folder, as a bundle carries it: its manifest says how its files
// are read.
type Copy struct {
	Name   string
	Folder fs.FS
	Shown  string // how errors name the folder
}

// Open reads the copy, which has to be what its manifest says and have a name that [Import] takes.
func (c Copy) Open() (*Set, error) {
	set, _, err := c.read(Options{})
	return set, err
}

// Import copies the set into the data folder, as [Import] does.
func (c Copy) Import(o ImportOptions) (Manifest, error) {
	set, files, err := c.read(o.Options)
	if err != nil {
		return Manifest{}, err
	}
	return keep(set, files, o)
}

func (c Copy) read(o Options) (*Set, []splitFiles, error) {
	if err := checkName(c.Name); err != nil {
		return nil, nil, err
	}
	return openImported(c.Name, c.Folder, c.Shown, o)
}
