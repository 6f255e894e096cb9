// Package taskconfig reads the TaskConfig of evalscope, as YAML or JSON has it, into flags of run. It knows evalscope's names, and
// refuses by name what has none here; no flag is set.
//
// Such a file asks as evalscope does: in its style, with the model's chat template where it has one, and with its limit, which takes
// the first questions of each subject. The task_config.yaml that evalscope writes beside its results is one.
package taskconfig
