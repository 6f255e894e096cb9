package shared

import "golang.org/x/sys/windows"

// Open loads a shared library, and looks for those that it needs in its folder first.
func Open(path string) (handle uintptr, err error) {
	library, err := windows.LoadLibraryEx(path, 0, windows.LOAD_WITH_ALTERED_SEARCH_PATH)
	return uintptr(library), err
}

// Symbol is the address of a name in a library; 0 where it has none.
func Symbol(handle uintptr, name string) uintptr {
	address, err := windows.GetProcAddress(windows.Handle(handle), name)
	if err != nil {
		return 0
	}
	return address
}
