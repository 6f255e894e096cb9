// Package kubernetes holds the manifests that run a run's shards on a Kubernetes cluster, as kustomizations: run/ is an Indexed Job
// with a pod a shard, merge/ the job that makes one run of them. Its tests build them and hold them against the API's own types.
package kubernetes
