#!/usr/bin/env bash
# The recipes of configs/cluster on the engines they are for, on this machine: a Slurm job array whose first task is
# killed, and requeues itself, and a Snakemake workflow that is killed and run again. Each must leave the bytes of the sweep in
# one piece, and keep the runs that had finished before the kill.
#
#     testbenches/cluster/test.sh [target/release/wormscope]
set -euo pipefail
cd "$(dirname "$0")/../.."
WORMSCOPE=$(realpath "${1:-target/release/wormscope}")
export WORMSCOPE PATH="$PATH:/usr/sbin"
missing=
for tool in slurmctld slurmd sbatch scontrol; do command -v $tool >/dev/null || missing="Slurm (apt-get install slurm-wlm)"; done
command -v snakemake >/dev/null || missing="${missing:+$missing and }Snakemake (pip install snakemake)"
if [ -n "$missing" ]; then
    echo "make test-cluster needs $missing" >&2
    exit 2
fi

study=$PWD/configs/cluster/study.ron
work=$(mktemp -d)
daemons=()
finish() {
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "FAILED: $*" >&2
    cat "$work"/*.log "$work"/*.out 2>/dev/null | tail -40 >&2
    exit 1
}

# Waits for a condition, five minutes at most: Slurm holds a job that was requeued back for two.
await() {
    for _ in $(seq 3000); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.1
    done
    fail "no end of waiting: $*"
}

lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }

# The bytes of one piece, and the journal begun before the kill.
judge() {
    cmp "$work/whole/rows.csv" "$1/all/rows.csv" || fail "$2: other rows"
    cmp "$work/whole/rows.parquet" "$1/all/rows.parquet" || fail "$2: another Parquet file"
    head -c "$(stat -c %s "$work/before")" "$1/shard-1/journal" | cmp - "$work/before" || fail "$2: finished runs were lost"
    echo "$2: $(($(wc -l <"$1/all/rows.csv") - 1)) rows equal, $(wc -l <"$work/before") lines of the journal of shard 1 kept"
}

# Complete lines of a journal, at the moment of a kill.
remember() { head -n "$(wc -l <"$1")" "$1" >"$work/before"; }

"$WORMSCOPE" sweep "$study" -o "$work/whole" >/dev/null

# --- Slurm: a controller and a compute node of our own, with their state in the temporary directory.
host=$(hostname -s)
cat >"$work/slurm.conf" <<END
ClusterName=wormscope
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=sched_min_interval=0
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
KillWait=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=local Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
mkdir "$work/state" "$work/spool"
slurmctld -D >"$work/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D >"$work/slurmd.log" 2>&1 &
daemons+=($!)
await eval 'sinfo -h -o %t | grep -q idle'

slurm=$work/slurm
job=$(sbatch --parsable --array=1-4 --output="$work/%A_%a.out" configs/cluster/sweep.sbatch "$study" "$slurm")
merge=$(sbatch --parsable --dependency="afterok:$job" --output="$work/merge.out" --wrap "'$WORMSCOPE' merge '$slurm'/shard-* -o '$slurm/all' || [ \$? -le 4 ]")
await lines "$slurm/shard-1/journal" 4
pkill -9 -f -- "--shard 1/4 --jobs 1 -o $slurm/shard-1" || fail "shard 1 was over before it could be killed"
remember "$slurm/shard-1/journal"
await eval "scontrol -o show job $merge | grep -q JobState=COMPLETED"
judge "$slurm" "Slurm"

# --- Snakemake, killed with all its jobs.
snake=$work/snake
workflow=(snakemake -s "$PWD/configs/cluster/Snakefile" --cores 2 -d "$work" --config "study=$study" "out=$snake" shards=4 "wormscope=$WORMSCOPE")
setsid "${workflow[@]}" >"$work/snakemake.log" 2>&1 &
group=$!
await lines "$snake/shard-1/journal" 4
kill -9 -- "-$group"
wait "$group" 2>/dev/null || true
pkill -9 -f -- "-o $snake/shard-" || true
remember "$snake/shard-1/journal"
"${workflow[@]}" --unlock >>"$work/snakemake.log" 2>&1 || fail "snakemake --unlock"
"${workflow[@]}" --rerun-incomplete >>"$work/snakemake.log" 2>&1 || fail "snakemake"
judge "$snake" "Snakemake"
