"""merge.py SUMMARY [COUNT]: how long gmreport merge takes for COUNT (1000) summaries, and how much memory.

The summaries are copies of SUMMARY, as those of the ranks of a job are much alike, each with a rank, and with
numbers and a finding of its own.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def write_copies(summary, count, folder):
    size = 0
    for rank in range(count):
        summary["run"]["rank"] = rank
        summary["run"]["wall_seconds"] = 1 + rank % 7
        for finding in summary["findings"][:1]:
            finding["fingerprint"] = f"{rank % 50:016x}"
        path = folder / str(rank) / "summary.json"
        path.parent.mkdir()
        path.write_text(json.dumps(summary))
        size += path.stat().st_size
    return size


def measure(folder, jobs):
    """Seconds and MiB."""
    pid = os.posix_spawnp("gmreport", ["gmreport", "merge", str(folder / "job"), "--jobs", str(jobs), "-o",
                                       str(folder / "merged")], os.environ,
                          file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    before = os.times().elapsed
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"gmreport merge failed: {status}")
    return os.times().elapsed - before, usage.ru_maxrss / 1024


def main():
    summary = json.loads(pathlib.Path(sys.argv[1]).read_text())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    version = subprocess.run(["gmreport", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "job").mkdir()
        size = write_copies(summary, count, folder / "job")
        print(f"{version}: {count} summaries, {size / 2**20:.0f} MiB")
        print("| threads | seconds | MiB |\n| --- | --- | --- |")
        for jobs in sorted({1, 2, os.cpu_count()}):
            seconds, memory = measure(folder, jobs)
            print(f"| {jobs} | {seconds:.2f} | {memory:.0f} |")


main()
