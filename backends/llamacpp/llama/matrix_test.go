package llama

import (
	"bytes"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/gguf"
)

func TestAnExpertIsARow(t *testing.T) {
	var m matrix
	for expert := range 3 {
		m.tensor("blk.0.ffn_up_exps.weight", 3, 5).add(expert, []float32{1, 2, 3, 4, 5})
	}
	m.tensor("blk.0.attn_q.weight", 1, 2).add(0, []float32{3, 4})
	var b bytes.Buffer
	assert.NilError(t, m.Write(&b, "some set"))
	file, err := gguf.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), "imatrix.gguf")
	assert.Assert(t, err == nil && file.Text("general.type") == "imatrix" && len(file.Tensors) == 4 && b.Len()%32 == 0,
		"%+v, %d bytes, %v", file, b.Len(), err)
	if q, experts := file.Tensors[0], file.Tensors[3]; q.Name != "blk.0.attn_q.weight.in_sum2" || len(q.Shape) != 1 ||
		experts.Name != "blk.0.ffn_up_exps.weight.counts" || experts.Elements != 3 {
		t.Errorf("%+v", file.Tensors)
	}
}
