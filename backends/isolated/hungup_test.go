package isolated

import (
	"errors"
	"io"
	"net"
	"net/rpc"
	"testing"

	"gotest.tools/v3/assert"
)

// A process that dies ends its answer wherever it is: what net/rpc then says is its end, and no reason of its own.
func TestAnAnswerThatIsCutOffIsAnEnd(t *testing.T) {
	t.Parallel()
	const answer = "\x1a\xff\x81\x03\x01\x01\x08Response" // a message that is not whole
	for cut := range len(answer) {
		here, there := net.Pipe()
		go io.Copy(io.Discard, there)
		client := rpc.NewClient(here)
		call := client.Go("Engine.Open", None{}, &None{}, make(chan *rpc.Call, 1))
		_, err := io.WriteString(there, answer[:cut])
		assert.NilError(t, err)
		assert.NilError(t, there.Close())
		assert.Assert(t, hungUp((<-call.Done).Error), "cut at %d", cut)
	}
	assert.Assert(t, hungUp(errors.New("reading body unexpected EOF")))
	assert.Assert(t, !hungUp(errors.New("gob: type not registered for interface")))
}
