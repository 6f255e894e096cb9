package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// objects are those of a kustomization's resources. Images are as before they are renamed.
func objects(t *testing.T, folder string) (jobs []batch.Job, claims []core.PersistentVolumeClaim) {
	t.Helper()
	var kustomization struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Resources  []string
		Images     []struct{ Name, NewName, NewTag string }
	}
	read(t, filepath.Join(folder, "kustomization.yaml"), &kustomization)
	assert.Check(t, kustomization.Kind == "Kustomization" && len(kustomization.Images) == 1 && kustomization.Images[0].Name == "proctor",
		"%s: %+v", folder, kustomization)
	for _, resource := range kustomization.Resources {
		var of core.ObjectReference
		path := filepath.Join(folder, resource)
		text, err := os.ReadFile(path)
		if err == nil {
			err = yaml.Unmarshal(text, &of)
		}
		var job *batch.Job
		var claim *core.PersistentVolumeClaim
		if err == nil {
			job, claim, err = parse(text, of.Kind)
		}
		switch {
		case err != nil:
			t.Fatalf("%s: %v", path, err)
		case job != nil:
			jobs = append(jobs, *job)
		default:
			claims = append(claims, *claim)
		}
	}
	return jobs, claims
}

// read reads a file strictly.
func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.UnmarshalStrict(text, into)
	}
	assert.NilError(t, err, "%s", path)
}

// parse reads an object strictly: a field that the API does not know, or that has another type, is an error.
func parse(text []byte, kind string) (*batch.Job, *core.PersistentVolumeClaim, error) {
	switch kind {
	case "Job":
		job := &batch.Job{}
		return job, nil, decode(text, job)
	case "PersistentVolumeClaim":
		claim := &core.PersistentVolumeClaim{}
		return nil, claim, decode(text, claim)
	}
	return nil, nil, fmt.Errorf("%s: no such kind is expected", kind)
}

// decode is as strict as an API server: the yaml package would make a text of a number where the type wants one.
func decode(text []byte, into any) error {
	object, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(object))
	strict.DisallowUnknownFields()
	return strict.Decode(into)
}

func TestTheRunIsAnIndexedJobOfShards(t *testing.T) {
	jobs, claims := objects(t, "run")
	assert.Assert(t, len(jobs) == 1 && len(claims) == 1, "%d jobs and %d claims", len(jobs), len(claims))
	spec := jobs[0].Spec
	assert.Check(t, *spec.CompletionMode == batch.IndexedCompletion && spec.BackoffLimitPerIndex != nil && spec.BackoffLimit == nil,
		"it is no Indexed Job whose indexes fail by themselves")
	pod := spec.Template.Spec
	assert.Check(t, pod.RestartPolicy == core.RestartPolicyNever, "a pod failure policy needs restartPolicy Never")
	ofPod(t, &pod, claims[0].Name)
	container := pod.Containers[0]
	environment := map[string]core.EnvVar{}
	for _, variable := range container.Env {
		environment[variable.Name] = variable
	}
	got, want := environment["JOB_COMPLETIONS"].Value, strconv.Itoa(int(*spec.Completions))
	assert.Check(t, got == want, "JOB_COMPLETIONS is %s of %s completions", got, want)
	from := environment["JOB_COMPLETION_INDEX"].ValueFrom
	assert.Check(t, from != nil && strings.Contains(from.FieldRef.FieldPath, batch.JobCompletionIndexAnnotation),
		"JOB_COMPLETION_INDEX is not the pod's index")
	for _, arg := range []string{"--shard=auto", "--resume", "--out=/proctor/runs/shards/$(JOB_COMPLETION_INDEX)"} {
		assert.Check(t, slices.Contains(container.Args, arg), "%s is not among %q", arg, container.Args)
	}
}

func TestThePodFailurePolicyKnowsTheExitCodes(t *testing.T) {
	jobs, _ := objects(t, "run")
	actions := map[int32]batch.PodFailurePolicyAction{}
	rules := jobs[0].Spec.PodFailurePolicy.Rules
	for _, rule := range rules {
		if codes := rule.OnExitCodes; codes != nil {
			name := jobs[0].Spec.Template.Spec.Containers[0].Name
			assert.Check(t, *codes.ContainerName == name && codes.Operator == batch.PodFailurePolicyOnExitCodesOpIn, "%+v", codes)
			for _, code := range codes.Values {
				actions[code] = rule.Action
			}
		}
	}
	for code, want := range map[int32]batch.PodFailurePolicyAction{
		2: batch.PodFailurePolicyActionFailJob, 3: batch.PodFailurePolicyActionCount, 4: batch.PodFailurePolicyActionFailIndex,
		130: batch.PodFailurePolicyActionCount, 137: batch.PodFailurePolicyActionCount,
	} {
		assert.Check(t, actions[code] == want, "exit code %d: %s, want %s", code, actions[code], want)
	}
	first := rules[0]
	assert.Check(t, first.Action == batch.PodFailurePolicyActionIgnore && first.OnPodConditions[0].Type == core.DisruptionTarget,
		"a disruption is not ignored before exit codes are looked at")
}

func TestTheMergeReadsWhatTheRunWrites(t *testing.T) {
	jobs, _ := objects(t, "merge")
	_, claims := objects(t, "run")
	pod := jobs[0].Spec.Template.Spec
	ofPod(t, &pod, claims[0].Name)
	got := pod.InitContainers[0].Args
	assert.Check(t, slices.Equal(got, []string{"merge", "/proctor/runs/shards", "-o", "/proctor/runs/merged"}), "%q", got)
}

// ofPod checks what holds for all pods: nobody's user, a root file system that is only read, the image of make image, its limits, and
// volumes wherever that image writes.
func ofPod(t *testing.T, pod *core.PodSpec, claim string) {
	t.Helper()
	if s := pod.SecurityContext; s == nil || !*s.RunAsNonRoot || *s.RunAsUser != 65532 ||
		s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("security context %+v", s)
	}
	volumes := map[string]bool{}
	claimed := false
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = true
		claimed = claimed || volume.PersistentVolumeClaim != nil && volume.PersistentVolumeClaim.ClaimName == claim
	}
	assert.Check(t, claimed, "no volume is that of the claim %s", claim)
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		if s := c.SecurityContext; s == nil || !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || len(s.Capabilities.Drop) != 1 {
			t.Errorf("%s: security context %+v", c.Name, s)
		}
		assert.Check(t, c.Image == "proctor", "%s: image %s", c.Name, c.Image)
		assert.Check(t, !c.Resources.Limits.Memory().IsZero() && !c.Resources.Requests.Cpu().IsZero(),
			"%s: resources %+v", c.Name, c.Resources)
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
