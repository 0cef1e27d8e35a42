#!/usr/bin/env bash
# The recipes of configs/cluster on the engines they are for, on this machine: a Slurm job array whose first task is
# killed, and requeues itself; a Snakemake workflow that is killed and run again; and a sweep as tasks of Dask, whose
# workers are lost, join, and are interrupted. Each must leave the bytes of the sweep in one piece, and keep the runs
# that had finished before the kill.
#
#     testbenches/cluster/test.sh [target/release/wormscope]
set -euo pipefail
cd "$(dirname "$0")/../.."
WORMSCOPE=$(realpath "${1:-target/release/wormscope}")
export WORMSCOPE PATH="$PATH:/usr/sbin"
missing=
for tool in slurmctld slurmd sbatch scontrol; do command -v $tool >/dev/null || missing="Slurm (apt-get install slurm-wlm)"; done
command -v snakemake >/dev/null || missing="${missing:+$missing and }Snakemake (pip install snakemake)"
if ! command -v dask >/dev/null || ! python3 -c 'import distributed' 2>/dev/null; then
    missing="${missing:+$missing and }Dask (pip install distributed)"
fi
if [ -n "$missing" ]; then
    echo "make test-cluster needs $missing" >&2
    exit 2
fi

study=$PWD/configs/cluster/study.ron
work=$(mktemp -d)
daemons=()
machines=()
finish() {
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
    for group in "${machines[@]}"; do kill -9 -- "-$group" 2>/dev/null || true; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "FAILED: $*" >&2
    tail -n 15 "$work"/*.log "$work"/*.out >&2 2>/dev/null
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
    cmp "${3:-$work/whole}/rows.csv" "$1/all/rows.csv" || fail "$2: other rows"
    cmp "${3:-$work/whole}/rows.parquet" "$1/all/rows.parquet" || fail "$2: another Parquet file"
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

# --- Dask: a scheduler, and workers that come and go. The sweep takes long enough for all of this.
dask=$work/dask
long=(configs/mesh_8x8_uniform.ron --vary "fifo_depth=2..16*2" --vary "load=0.04..0.4/0.04" --seeds 60)
"$WORMSCOPE" sweep "${long[@]}" -o "$work/long" >/dev/null
address=tcp://127.0.0.1:16819
dask scheduler --host 127.0.0.1 --port 16819 --dashboard-address 127.0.0.1:0 >"$work/scheduler.log" 2>&1 &
scheduler=$!
daemons+=($scheduler)

# A process group is one machine here: a worker, Dask's nanny of this worker, and the shard.
worker() {
    (cd "$work" && exec setsid dask worker $address --nthreads 1 --no-dashboard --name "$1") >"$work/worker-$1.log" 2>&1 &
    group=$!
    machines+=($group)
    await grep -q "Registered to" "$work/worker-$1.log"
}

# The script, with the signals of a terminal: Bash ignores interrupts in the background.
dask_sweep=(env --default-signal=INT python3 configs/cluster/dask_sweep.py --scheduler $address)

# The directories of the shards that a machine runs.
shard_of() { pgrep -a -g "$1" -f -- "--shard ${2:-}" | sed 's/.* //'; }
runs_shard() { shard_of "$@" | grep -q .; }
no_shard() { ! pgrep -f -- "-o $dask/shard-"; }

# Each mistake ends at once, with a message that has a certain text.
refused() {
    text=$1
    shift
    status=0
    "$@" >"$work/refused.log" 2>&1 || status=$?
    [ $status = 2 ] || fail "Dask: exit code $status instead of 2 for a mistake: $text"
    grep -qF -- "$text" "$work/refused.log" || fail "Dask: the message lacks: $text"
    ! grep -q Traceback "$work/refused.log" || fail "Dask: a mistake shows the insides of Python"
}
refused "pip install distributed" python3 -S "${dask_sweep[@]:3}" --shards 8 "${long[@]}" -o "$dask"
refused "put wormscope on the PATH" env WORMSCOPE=no-wormscope "${dask_sweep[@]}" --shards 8 "${long[@]}" -o "$work/none"
refused "no Dask scheduler answers" "${dask_sweep[@]}" --scheduler tcp://127.0.0.1:16820 --shards 8 "${long[@]}" -o "$work/none"
refused "a similar argument exists: '--vary'" "${dask_sweep[@]}" --shards 8 "${long[@]}" --vry flit_bits=8 -o "$work/none"
refused "--shards: 0 is less than 1" "${dask_sweep[@]}" --shards 0 "${long[@]}" -o "$work/none"
refused "holds a sweep without shards" "${dask_sweep[@]}" --shards 8 "${long[@]}" -o "$work/long"

# The machine of shard 1 goes down. The other machine loses its worker, but not its shard. A third machine joins.
await grep -q "Scheduler at" "$work/scheduler.log"
worker one
one=$group
worker two
two=$group
"${dask_sweep[@]}" --shards 8 "${long[@]}" -o "$dask" >"$work/dask.log" 2>&1 &
script=$!
await lines "$dask/shard-1/journal" 4
if runs_shard "$two" 1/8; then
    two=$one one=$group
fi
runs_shard "$one" 1/8 || fail "Dask: shard 1 was over before its machine could go down"
kill -9 -- "-$one"
wait "$one" 2>/dev/null || true
remember "$dask/shard-1/journal"
kill -9 "$(pgrep -g "$two" -f multiprocessing.spawn)"
held=$(shard_of "$two") || true
[ -n "$held" ] || fail "Dask: the shard was lost with its worker"
worker three
three=$group
runs_another() { shard=$(shard_of "$three") && [ -n "$shard" ] && [ "$shard" != "$held" ]; }
await runs_another

# Ctrl-C ends all shards. Another number of shards is another sweep. The same command continues, and waits for a shard
# that another process holds.
kill -INT $script
status=0
wait $script || status=$?
[ $status = 130 ] || fail "Dask: exit code $status instead of 130 after Ctrl-C"
await no_shard
[ ! -e "$shard/rows.parquet" ] || fail "Dask: after Ctrl-C, a shard ran to its end"
refused "holds another sweep: the shard was 1/8 and is 1/9" "${dask_sweep[@]}" --shards 9 "${long[@]}" -o "$dask"
flock "$dask/shard-1/journal" sleep 8 &
"${dask_sweep[@]}" --shards 8 "${long[@]}" -o "$dask" >>"$work/dask.log" 2>&1 || fail "Dask: exit code $?"
judge "$dask" "Dask" "$work/long"

# Shards that make no progress, and errors of shards, end the sweep: a shard that is always killed, a shard that always
# kills its worker, a worker without wormscope, and a shard in the directory of another sweep.
program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
    chmod +x "$work/$1"
}
check="case \"\$*\" in *--no-run) exec '$WORMSCOPE' \"\$@\" ;; esac"
program killed "$check; kill -9 \$\$"
program deadly "$check; kill -9 \$PPID"
program absent "rm \"\$0\"; exec '$WORMSCOPE' \"\$@\""
"$WORMSCOPE" sweep "$study" -o "$work/mixed/shard-2" >/dev/null
start=("${dask_sweep[@]}" --shards 2 "$study")
refused "was lost three times, and finished no run in between" env WORMSCOPE="$work/killed" "${start[@]}" -o "$work/out-killed"
refused "no run in between: its workers were lost" env WORMSCOPE="$work/deadly" "${start[@]}" -o "$work/out-deadly"
refused "cannot run $work/absent" env WORMSCOPE="$work/absent" "${start[@]}" -o "$work/out-absent"
refused "shard-2: holds another sweep: the shard was all of it and is 2/2" "${start[@]}" -o "$work/mixed"

# Without its scheduler, the script ends too.
"${dask_sweep[@]}" --shards 8 "${long[@]}" -o "$work/out-lost" >"$work/lost.log" 2>&1 &
script=$!
await lines "$work/out-lost/shard-1/journal" 1
kill -9 $scheduler
wait $scheduler 2>/dev/null || true
status=0
wait $script || status=$?
[ $status = 2 ] || fail "Dask: exit code $status instead of 2 without a scheduler"
grep -q "^error: the scheduler is lost; . of 8 shards are finished; the same command continues$" "$work/lost.log" || fail "Dask: no word of the lost scheduler"
! grep -q Traceback "$work/lost.log" || fail "Dask: a lost scheduler shows the insides of Python"
pkill -9 -f -- "-o $work/out-lost/shard-" || true
echo "Dask: all mistakes have their messages"
