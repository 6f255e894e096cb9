// Package kubernetes holds the manifests that run a run's shards on a Kubernetes cluster, as kustomizations: run/ is an Indexed Job
// with a pod a shard, merge/ the job that makes one run of them.
package kubernetes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"gotest.tools/v3/assert"
)

// An object has what the tests look at of a job or a claim.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		BackoffLimit         *int `yaml:"backoffLimit"`
		BackoffLimitPerIndex *int `yaml:"backoffLimitPerIndex"`
		Template             struct{ Spec pod }
		PodFailurePolicy     struct {
			Rules []struct {
				Action      string
				OnExitCodes struct {
					ContainerName string `yaml:"containerName"`
					Operator      string
					Values        []int
				} `yaml:"onExitCodes"`
				OnPodConditions []struct{ Type string } `yaml:"onPodConditions"`
			}
		} `yaml:"podFailurePolicy"`
	}
}

type pod struct {
	RestartPolicy   string         `yaml:"restartPolicy"`
	SecurityContext map[string]any `yaml:"securityContext"`
	Volumes         []struct {
		Name                  string
		PersistentVolumeClaim struct {
			ClaimName string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
	}
	InitContainers []container `yaml:"initContainers"`
	Containers     []container
}

type container struct {
	Name, Image string
	Args        []string
	Env         []struct {
		Name, Value string
		ValueFrom   struct {
			FieldRef struct {
				FieldPath string `yaml:"fieldPath"`
			} `yaml:"fieldRef"`
		} `yaml:"valueFrom"`
	}
	SecurityContext map[string]any `yaml:"securityContext"`
	Resources       struct{ Limits, Requests map[string]string }
	VolumeMounts    []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// objects are those of a kustomization's resources by their kinds. Images are as before they are renamed.
func objects(t *testing.T, folder string) map[string]object {
	t.Helper()
	read := func(name string, into any) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		assert.NilError(t, err)
		assert.NilError(t, yaml.Unmarshal(text, into), name)
	}
	var kustomization struct {
		Kind      string
		Resources []string
		Images    []struct{ Name string }
	}
	read("kustomization.yaml", &kustomization)
	assert.Check(t, kustomization.Kind == "Kustomization" && len(kustomization.Images) == 1 && kustomization.Images[0].Name == "proctor",
		"%s: %+v", folder, kustomization)
	all := map[string]object{}
	for _, name := range kustomization.Resources {
		var of object
		read(name, &of)
		all[of.Kind] = of
	}
	return all
}

func TestTheRunIsAnIndexedJobOfShards(t *testing.T) {
	all := objects(t, "run")
	spec := all["Job"].Spec
	assert.Check(t, spec.CompletionMode == "Indexed" && spec.BackoffLimitPerIndex != nil && spec.BackoffLimit == nil,
		"it is no Indexed Job whose indexes fail by themselves")
	pod := spec.Template.Spec
	assert.Check(t, pod.RestartPolicy == "Never", "a pod failure policy needs restartPolicy Never")
	ofPod(t, pod, all["PersistentVolumeClaim"].Metadata.Name)
	container := pod.Containers[0]
	environment := map[string]string{}
	for _, variable := range container.Env {
		environment[variable.Name] = variable.Value + variable.ValueFrom.FieldRef.FieldPath
	}
	assert.Equal(t, environment["JOB_COMPLETIONS"], fmt.Sprint(spec.Completions))
	assert.Check(t, strings.Contains(environment["JOB_COMPLETION_INDEX"], "batch.kubernetes.io/job-completion-index"))
	for _, arg := range []string{"--shard=auto", "--resume", "--out=/proctor/runs/shards/$(JOB_COMPLETION_INDEX)"} {
		assert.Check(t, slices.Contains(container.Args, arg), "%s is not among %q", arg, container.Args)
	}
}

func TestThePodFailurePolicyKnowsTheExitCodes(t *testing.T) {
	spec := objects(t, "run")["Job"].Spec
	actions := map[int]string{}
	rules := spec.PodFailurePolicy.Rules
	for _, rule := range rules {
		codes := rule.OnExitCodes
		assert.Check(t, codes.Values == nil || codes.ContainerName == spec.Template.Spec.Containers[0].Name && codes.Operator == "In", "%+v", codes)
		for _, code := range codes.Values {
			actions[code] = rule.Action
		}
	}
	for code, want := range map[int]string{2: "FailJob", 3: "Count", 4: "FailIndex", 130: "Count", 137: "Count"} {
		assert.Check(t, actions[code] == want, "exit code %d: %s, want %s", code, actions[code], want)
	}
	first := rules[0]
	assert.Check(t, first.Action == "Ignore" && first.OnPodConditions[0].Type == "DisruptionTarget",
		"a disruption is not ignored before exit codes are looked at")
}

func TestTheMergeReadsWhatTheRunWrites(t *testing.T) {
	pod := objects(t, "merge")["Job"].Spec.Template.Spec
	ofPod(t, pod, objects(t, "run")["PersistentVolumeClaim"].Metadata.Name)
	got := pod.InitContainers[0].Args
	assert.Check(t, slices.Equal(got, []string{"merge", "/proctor/runs/shards", "-o", "/proctor/runs/merged"}), "%q", got)
}

// ofPod checks what holds for all pods: nobody's user, a root file system that is only read, the image of make image, its limits, and
// volumes wherever that image writes.
func ofPod(t *testing.T, pod pod, claim string) {
	t.Helper()
	context := fmt.Sprint(pod.SecurityContext)
	for _, has := range []string{"runAsNonRoot:true", "runAsUser:65532", "seccompProfile:map[type:RuntimeDefault]"} {
		assert.Check(t, strings.Contains(context, has), "%s is not in %s", has, context)
	}
	volumes := map[string]bool{}
	claimed := false
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = true
		claimed = claimed || volume.PersistentVolumeClaim.ClaimName == claim
	}
	assert.Check(t, claimed, "no volume is that of the claim %s", claim)
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		context := fmt.Sprint(c.SecurityContext)
		for _, has := range []string{"readOnlyRootFilesystem:true", "allowPrivilegeEscalation:false", "capabilities:map[drop:[ALL]]"} {
			assert.Check(t, strings.Contains(context, has), "%s: %s is not in %s", c.Name, has, context)
		}
		assert.Check(t, c.Image == "proctor", "%s: image %s", c.Name, c.Image)
		assert.Check(t, c.Resources.Limits["memory"] != "" && c.Resources.Requests["cpu"] != "", "%s: resources %+v", c.Name, c.Resources)
		mounted := map[string]bool{}
		for _, mount := range c.VolumeMounts {
			mounted[mount.MountPath] = true
			assert.Check(t, volumes[mount.Name], "%s: there is no volume %s", c.Name, mount.Name)
		}
		for _, folder := range []string{"/proctor", "/data", "/tmp"} { // which the image writes to
			assert.Check(t, mounted[folder], "%s: %s is not on a volume", c.Name, folder)
		}
	}
}
