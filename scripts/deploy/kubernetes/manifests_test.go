// Package kubernetes holds the manifests that run a run's shards on a Kubernetes cluster, as kustomizations: run/ is an
// Indexed Job with a pod a shard, merge/ the job that makes one run of them.
package kubernetes

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v4"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// A part is one of a manifest, as it is decoded.
type part struct{ any }

// at is the part below another one by its keys, of nothing where one of them is not there.
func (p part) at(keys ...string) part {
	for _, key := range keys {
		below, _ := p.any.(map[string]any)
		p = part{below[key]}
	}
	return p
}

// each are the parts of a list.
func (p part) each() (all []part) {
	list, _ := p.any.([]any)
	for _, one := range list {
		all = append(all, part{one})
	}
	return all
}

// text is how Go writes a part down.
func (p part) text() string { return fmt.Sprint(p.any) }

// objects are those of a kustomization's resources by their kinds. Images are as before they are renamed.
func objects(t *testing.T, folder string) map[string]part {
	t.Helper()
	read := func(name string) (of part) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		assert.NilError(t, err)
		assert.NilError(t, yaml.Unmarshal(text, &of.any), name)
		return of
	}
	kustomization := read("kustomization.yaml")
	assert.Equal(t, kustomization.at("kind").text(), "Kustomization")
	assert.Equal(t, kustomization.at("images").text(), "[map[name:proctor newName:proctor newTag:latest]]")
	all := map[string]part{}
	for _, name := range kustomization.at("resources").each() {
		of := read(name.text())
		all[of.at("kind").text()] = of
	}
	return all
}

func TestTheRunIsAnIndexedJobOfShards(t *testing.T) {
	all := objects(t, "run")
	spec := all["Job"].at("spec")
	assert.Equal(t, spec.at("completionMode").text(), "Indexed")
	assert.Check(t, spec.at("backoffLimitPerIndex").any != nil &&
		spec.at("backoffLimit").any == nil, "indexes fail together")
	pod := spec.at("template", "spec")
	assert.Equal(t, pod.at("restartPolicy").text(), "Never", "a pod failure policy needs it")
	ofPod(t, pod, all["PersistentVolumeClaim"].at("metadata", "name").text())
	container := pod.at("containers").each()[0]
	environment := map[string]part{}
	for _, variable := range container.at("env").each() {
		environment[variable.at("name").text()] = variable
	}
	assert.Equal(t, environment["JOB_COMPLETIONS"].at("value").text(), spec.at("completions").text())
	index := environment["JOB_COMPLETION_INDEX"].at("valueFrom", "fieldRef", "fieldPath").text()
	assert.Check(t, is.Contains(index, "batch.kubernetes.io/job-completion-index"))
	for _, arg := range []string{"--shard=auto", "--resume", "--out=/proctor/runs/shards/$(JOB_COMPLETION_INDEX)"} {
		assert.Check(t, is.Contains(container.at("args").any, arg))
	}
}

func TestThePodFailurePolicyKnowsTheExitCodes(t *testing.T) {
	spec := objects(t, "run")["Job"].at("spec")
	name := spec.at("template", "spec", "containers").each()[0].at("name")
	rules := spec.at("podFailurePolicy", "rules").each()
	actions := map[string]string{}
	for _, rule := range rules {
		codes := rule.at("onExitCodes")
		named := codes.at("containerName") == name && codes.at("operator").text() == "In"
		assert.Check(t, named || codes.any == nil, "%+v", codes)
		for _, code := range codes.at("values").each() {
			actions[code.text()] = rule.at("action").text()
		}
	}
	want := map[string]string{"2": "FailJob", "3": "Count", "4": "FailIndex", "130": "Count", "137": "Count"}
	assert.DeepEqual(t, actions, want)
	// A disruption is ignored before exit codes are looked at.
	assert.Equal(t, rules[0].text(), "map[action:Ignore onPodConditions:[map[type:DisruptionTarget]]]")
}

func TestTheMergeReadsWhatTheRunWrites(t *testing.T) {
	pod := objects(t, "merge")["Job"].at("spec", "template", "spec")
	ofPod(t, pod, objects(t, "run")["PersistentVolumeClaim"].at("metadata", "name").text())
	merge := pod.at("initContainers").each()[0]
	assert.Equal(t, merge.at("args").text(), "[merge /proctor/runs/shards -o /proctor/runs/merged]")
}

// ofPod checks what holds for all pods: nobody's user, a root file system that is only read, the image of make image, its limits, and
// volumes wherever that image writes.
func ofPod(t *testing.T, pod part, claim string) {
	t.Helper()
	secured := func(of part, has ...string) {
		context := of.at("securityContext").text()
		for _, has := range has {
			assert.Check(t, is.Contains(context, has))
		}
	}
	secured(pod, "runAsNonRoot:true", "runAsUser:65532", "seccompProfile:map[type:RuntimeDefault]")
	volumes := map[string]string{} // the claims, by the volumes' names
	for _, volume := range pod.at("volumes").each() {
		volumes[volume.at("name").text()] = volume.at("persistentVolumeClaim", "claimName").text()
	}
	assert.Check(t, is.Contains(slices.Collect(maps.Values(volumes)), claim))
	for _, c := range slices.Concat(pod.at("initContainers").each(), pod.at("containers").each()) {
		secured(c, "readOnlyRootFilesystem:true", "allowPrivilegeEscalation:false", "capabilities:map[drop:[ALL]]")
		assert.Check(t, c.at("image").text() == "proctor" && c.at("resources", "limits", "memory").any != nil &&
			c.at("resources", "requests", "cpu").any != nil, "%+v", c)
		var mounted []string
		for _, mount := range c.at("volumeMounts").each() {
			mounted = append(mounted, mount.at("mountPath").text())
			assert.Check(t, volumes[mount.at("name").text()] != "", "there is no volume %s", mount.at("name"))
		}
		slices.Sort(mounted)
		assert.DeepEqual(t, mounted, []string{"/data", "/proctor", "/tmp"}) // which the image writes to
	}
}
