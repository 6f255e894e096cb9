#!/usr/bin/env bash
# usage: submit.sh OUT N [FLAGS OF proctor run]
# Submits a run in N shards, and the job that merges and reports them once all are done; prints both jobs' numbers. SBATCH_OPTIONS
# are those of the array, such as "--cpus-per-task=16 --time=8:00:00 --partition=long".
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd) n=$2
shift 2
read -ra options <<<"${SBATCH_OPTIONS:-}"
array=$(sbatch --parsable --array="1-$n" --output="$out/%a.log" "${options[@]}" "$here/run.sbatch" "$out" "$@")
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --output="$out/merge.log" "$here/merge.sbatch" "$out")
echo "$array $merge"
