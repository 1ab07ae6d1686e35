package symbol

// Object is where a variable lies, by its name in the symbol table: the global one of several. ok is false
// where the image has none of that name, or no symbols.
func (im *Image) Object(name string) (r Range, ok bool) {
	r, ok = im.symbols.objects[name]
	return r, ok
}

// HasSymbols tells whether the image has a symbol table.
func (im *Image) HasSymbols() bool { return im.symbols.present }
