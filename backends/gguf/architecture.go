package gguf

// ArchInt returns a number that the file has under a key of its architecture, such as "block_count", else otherwise.
func (f *File) ArchInt(key string, otherwise int64) int64 {
	if n, ok := f.Int(f.Architecture() + "." + key); ok {
		return n
	}
	return otherwise
}

// LayerInt returns for a layer a number that the file has under such a key once, or for each layer.
func (f *File) LayerInt(key string, layer int, otherwise int64) int64 {
	switch all := f.Ints(f.Architecture() + "." + key); {
	case len(all) == 1:
		return all[0]
	case layer < len(all):
		return all[layer]
	}
	return otherwise
}
