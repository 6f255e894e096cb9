package registry

import (
	"cmp"
	"os"

	"proctor/backends"
	"proctor/backends/machine/energy"
)

// PowercapVariable names the folder of power zones where a container has it elsewhere than Linux does.
const PowercapVariable = "PROCTOR_POWERCAP"

// Energy reads the energy that this machine takes, with that of its GPUs where a model is on them.
func Energy(gpus bool) backends.Energy {
	return energy.Of(cmp.Or(os.Getenv(PowercapVariable), energy.Powercap), gpus)
}
