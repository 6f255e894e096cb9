#!/usr/bin/env bash
# usage: slurm-check.sh [PROCTOR]          bin/proctor, which is built, where none is given
# Sets up a real Slurm of one node from nothing (Debian's slurm-wlm and munge), runs scripts/deploy/slurm's array of four tasks, one of them
# requeued in mid-run, and its merge job, and compares what comes out with a run that was never divided. About a minute, as root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "slurm-check: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "slurm-check: skipped: a Slurm can be set up by root alone"; exit 0; }
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
	apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurm-wlm munge
fi
[ $# -gt 0 ] || make -s build
PROCTOR=$(realpath "${1:-bin/proctor}")
export PROCTOR
[ -x "$PROCTOR" ] || fail "$PROCTOR: no program there"

folder=$(mktemp -d)
daemons=()
finish() {
	local code=$?
	[ ${#daemons[@]} = 0 ] || kill "${daemons[@]}" 2>/dev/null || true
	wait 2>/dev/null || true
	[ $code = 0 ] || { tail -n 20 "$folder"/*.log "$folder"/out/*.log || true; } >&2
	rm -rf "$folder"
	exit $code
}
trap finish EXIT
waiting() { # SECONDS WHAT COMMAND…
	local until=$((SECONDS + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $until ] || fail "$what did not happen in time"
		sleep 0.05
	done
}

chmod 755 "$folder"
mkdir "$folder/munge"
mungekey -c -k "$folder/munge/key"
chown -R munge: "$folder/munge"
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$folder/slurm.conf" <<-CONF
	ClusterName=check
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	AuthType=auth/munge
	AuthInfo=socket=$folder/munge/socket
	CredType=cred/munge
	SlurmUser=root
	SlurmdUser=root
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	ReturnToService=2
	JobRequeue=1
	KillWait=10
	MailProg=/bin/true
	StateSaveLocation=$folder/state
	SlurmdSpoolDir=$folder/spool
	SlurmctldPidFile=$folder/slurmctld.pid
	SlurmdPidFile=$folder/slurmd.pid
	SlurmdParameters=config_overrides
	NodeName=$host NodeAddr=127.0.0.1 CPUs=2
	PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
mkdir "$folder/state" "$folder/spool" "$folder/out"
export SLURM_CONF=$folder/slurm.conf
setpriv --reuid=munge --regid=munge --clear-groups munged -F --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
	--pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >"$folder/munged.log" 2>&1 &
daemons+=($!)
waiting 10 "munge's start" test -S "$folder/munge/socket"
slurmctld -D -f "$SLURM_CONF" >"$folder/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$folder/slurmd.log" 2>&1 &
daemons+=($!)
idle() { sinfo -h -o %t | grep -qx idle; }
waiting 30 "the node's start" idle

items=504 # as many as there are, three times, so that a shard takes seconds
flags=(--threads 1 --slots 1 --repeats 3 --shots 3 --max-tokens 200 --quiet)
began=$SECONDS
read -r array merge < <(scripts/deploy/slurm/submit.sh "$folder/out" 4 "${flags[@]}")
echo "slurm-check: array $array, merge $merge"
answered() { [ "$(wc -l <"$folder/out/shard-$1/journal.jsonl")" -gt "$2" ]; }
waiting 60 "shard 2's second answer" answered 2 2
scontrol requeue "${array}_2"
before=$(wc -l <"$folder/out/shard-2/journal.jsonl")
pending() { squeue -h -o '%i %t' | grep -qx "${array}_2 PD"; }
waiting 60 "the requeue" pending
scontrol update JobId="${array}_2" StartTime=now
grep -q 'proctor: stopping. Interrupt again' "$folder/out/2.log" || fail "shard 2 was not asked to stop, or did not hear it"
stopped=$(wc -l <"$folder/out/shard-2/journal.jsonl")
done_with() { ! squeue -h -j "$1" | grep -q .; }
waiting 120 "the end of the merge" done_with "$merge"
[ -s "$folder/out/merged/report.html" ] || fail "there is no merged report"

texts() { sed -n 's/.*"id":"\([^"]*\)".*"text":\(.*\),"finish":.*/\1 \2/p' "$1/journal.jsonl" | sort; }
"$PROCTOR" run "${flags[@]}" --out "$folder/whole" >/dev/null
cmp <(texts "$folder/whole") <(texts "$folder/out/merged") || fail "the merged run's texts are not the whole run's"
[ "$(texts "$folder/out/merged" | uniq -d | wc -l)" = 0 ] || fail "an item was asked twice"
[ "$(texts "$folder/out/merged" | wc -l)" = $items ] || fail "items are missing"
echo "slurm-check: 4 tasks, one requeued after $((before - 1)) answers (stopped with $((stopped - 1))), merged:" \
	"$items items, the texts of the whole run, in $((SECONDS - began)) s"
