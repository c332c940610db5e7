#!/usr/bin/env python3
"""Compares what was recovered of a program that was killed with the journal that it wrote:
check_killed.py JOURNAL TRACE, the latter of gmreport perfetto. Each thread's calls have to be there, in
their order, and besides them at most the one that it was in. Prints each difference."""

import json
import sys


def journal(path):
    """By thread: the calls that returned, and the one that did not or None."""
    threads = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            thread, what = line.split()
            done, now = threads.get(int(thread), ([], None))
            threads[int(thread)] = (done + [now], None) if what == "." else (done, what)
    return threads


def recovered(path, known):
    """By thread, its calls. Launches have no thread, but a name that no other thread has."""
    launched_by = {name: thread for thread, (done, now) in known.items() for name in [*done, now]
                   if name and "<" in name}
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    threads = {}
    calls = [e for e in events if e.get("cat") == "api" and e["pid"] == 1]
    for event in sorted(calls, key=lambda e: e["args"]["api"]):
        thread = event["args"]["thread"] or launched_by.get(event["name"], 0)
        threads.setdefault(thread, []).append(event["name"])
    return threads


def main():
    known = journal(sys.argv[1])
    seen = recovered(sys.argv[2], known)
    wrong = sorted(seen.keys() - known.keys())
    if wrong:
        print(f"calls of other threads: {[seen[thread][:3] for thread in wrong]}")
    for thread, (done, now) in known.items():
        calls = seen.get(thread, [])
        if calls not in (done, done + [now]):
            wrong.append(thread)
            print(f"thread {thread}: {len(done)} calls returned, then {now}; recovered are "
                  f"{len(calls)}: {calls[-3:]} instead of {done[-3:]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
