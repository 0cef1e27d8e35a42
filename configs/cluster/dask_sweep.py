#!/usr/bin/env python3
"""A sweep as tasks of Dask: a shard a task. Workers may join and leave while the sweep runs.

    dask scheduler                              # on one machine
    dask worker tcp://HOST:8786 --nthreads 8    # on each machine that helps, at any time
    configs/cluster/dask_sweep.py --scheduler tcp://HOST:8786 --shards 100 study.ron -o out

leaves the table of the whole sweep in out/all. If a worker is lost, another continues its shard. After Ctrl-C, the
same command continues. All machines need wormscope on the PATH or in $WORMSCOPE, and this folder at the same path.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import logging
import os
import pathlib
import queue
import signal
import socket
import subprocess
import sys
import time

# The error of wormscope if a shard still runs somewhere. Its worker was lost, but not its machine.
BUSY = "another sweep is writing it"
# Seconds between two lines of progress.
PAUSE = 5


def refuse(why, code=2):
    sys.stderr.write(f"error: {why.removeprefix('error: ').rstrip()}\n")
    sys.exit(code)


try:
    import distributed
except ImportError:
    refuse("this Python has no Dask; install it here and for all workers: pip install distributed")
logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # This script tells what is lost.


def run_shard(command, folder):
    """Runs on a worker."""
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError as error:
        return 127, f"{socket.gethostname()} cannot run {command[0]} in {folder}: {error}"
    return ended.returncode, ended.stderr


def stop_shards(out):
    """Runs on a worker. Interrupts its shards, which keep their finished runs."""
    import psutil  # Dask needs this library.

    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):  # A child may end meanwhile.
            if any(word.startswith(f"{out}/shard-") for word in child.cmdline()):
                child.terminate()


def run_all(client, count, command, out):
    """Runs all shards. An error of one shard ends the sweep."""
    running, ended, busy, killed, finished, shown = {}, queue.Queue(), [], collections.Counter(), 0, 0

    def submit(shards, priority=0):
        commands = [command(shard) for shard in shards]
        futures = client.map(run_shard, commands, folder=os.getcwd(), pure=False, priority=priority)
        running.update(zip(futures, shards))
        for future in futures:
            future.add_done_callback(ended.put)

    submit(range(1, count + 1))
    try:
        while finished < count:
            if time.monotonic() - shown > PAUSE:
                threads, shown = client.nthreads().values(), time.monotonic()
                print(f"{finished} of {count} shards finished; {len(threads)} workers with {sum(threads)} threads", flush=True)
            try:
                future = ended.get(timeout=1)
            except queue.Empty:
                submit(busy, priority=-1)
                busy = []
                continue
            shard = running.pop(future)
            try:
                code, errors = future.result()
            except distributed.KilledWorker:  # Dask tries four workers.
                code, errors = -1, "its workers were lost"
            if code in (0, 3, 4):  # 3 and 4: some runs deadlocked, or were refused or cut. They are rows like all others.
                finished += 1
            elif BUSY in errors:
                busy.append(shard)
            elif code < 0 or code == 130:  # a signal
                journal = out / f"shard-{shard}" / "journal"
                so_far = shard, journal.stat().st_size if journal.exists() else 0
                killed[so_far] += 1
                if killed[so_far] == 3:
                    refuse(f"shard {shard}/{count} was lost three times, and finished no run in between: {errors}")
                submit([shard])
            else:
                refuse(f"shard {shard}/{count}: {errors}")
    except (concurrent.futures.CancelledError, distributed.comm.CommClosedError):
        refuse(f"the scheduler is lost; {finished} of {count} shards are finished; the same command continues")
    finally:
        if running and client.status == "running":
            client.cancel(list(running))
            client.run(stop_shards, str(out), on_error="ignore")


def main():
    usage = "%(prog)s --scheduler ADDRESS --shards N -o DIR BASES... [options of wormscope sweep]"
    text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(usage=usage, description=__doc__, formatter_class=text, allow_abbrev=False)
    parser.add_argument("--scheduler", metavar="ADDRESS", required=True, help="address of Dask's scheduler")
    parser.add_argument("--shards", metavar="N", required=True, type=int, help="number of shards, the tasks")
    parser.add_argument("-o", metavar="DIR", dest="out", required=True, type=pathlib.Path, help="directory of the results")
    given, sweep = parser.parse_known_args()
    if given.shards < 1:
        parser.error(f"argument --shards: {given.shards} is less than 1")
    program, out = os.environ.get("WORMSCOPE", "wormscope"), given.out.absolute()
    folders = [f"{out}/shard-{shard}" for shard in range(1, given.shards + 1)]

    def command(shard):
        return [program, "sweep", *sweep, "--shard", f"{shard}/{given.shards}", "--jobs", "1", "-o", folders[shard - 1]]

    # Wrong arguments and directories of other sweeps are errors before any shard begins.
    if (out / "sweep.ron").exists():
        refuse(f"{given.out}: holds a sweep without shards; name another directory")
    code, errors = run_shard([*command(1), "--no-run"], os.getcwd())
    if code == 127:
        refuse(f"{errors}; put wormscope on the PATH, or its path into $WORMSCOPE")
    if code != 0 and BUSY not in errors:
        refuse(errors, code)
    try:
        client = distributed.Client(given.scheduler, timeout=10)
    except (OSError, ValueError):
        refuse(f"no Dask scheduler answers at {given.scheduler}; start one with: dask scheduler")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run_all(client, given.shards, command, out)
        sys.exit(subprocess.run([program, "merge", *folders, "-o", f"{out}/all"]).returncode)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; finished runs are kept; the same command continues\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
