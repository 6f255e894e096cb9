package layout

// Fields of llama_model_quantize_params, which lie first and in all releases that are known.
const (
	QuantizeThreads    Offset = 0
	QuantizeType       Offset = 4
	QuantizeRequantise Offset = 16
	QuantizeImportance Offset = 24
)

// FitsQuantize says whether these are the defaults of those parameters: as many threads as there are, the types of two tensors left
// open, and of four booleans that the output matrix is quantised, too. The number of types stands for an open one. The file's type is
// Q5_1 or, since 2026, Q8_0.
func FitsQuantize(p Params) bool {
	types := p.Word(8)
	return types != 0 && Has(p, map[Offset]uint32{
		QuantizeThreads: 0, 12: types, QuantizeRequantise: 0x100, QuantizeImportance: 0, QuantizeImportance + 4: 0,
	})
}
