"""fuzz-summary.py SEED COUNT WORK SUMMARY...: gmreport with COUNT damaged summaries.

Each command has to end with a status of its own, say one line if it fails, and print nothing that
steers a terminal. What it does not like is left in WORK. By hand, for as long as you like:

    fuzz-summary.py $RANDOM 100000 /tmp/fuzz prof/summary.json
"""
import json
import pathlib
import random
import subprocess
import sys

NAMES = ["\x1b]0;x\x07", "</script>", "a" * 5000, "\u202e\u2066", "\u009b31m", "", "\0", "%s%n", "(((",
         "\n::error::", "../../etc"]
NUMBERS = [0, -1, 1e308, -1e308, 2**64 - 1, 2**63, 2**64, 2**32 - 1, 2**32, 0.5, 5e-324]
BYTES = [b"[", b"{", b'"', b"1e999", b"\\u0000", b"\xff", b"-", b"[" * 200]
COMMANDS = [["{}"], ["{}", "--details", "--top", "0"], ["{}", "--format", "csv"],
            ["{}", "--format", "markdown"], ["check", "{}"], ["check", "{}", "--format", "sarif"],
            ["check", "{}", "--format", "junit"], ["check", "{}", "--format", "github"],
            ["diff", "{}", "{original}"], ["diff", "{original}", "{}", "--format", "markdown"],
            ["explore", "{}", "--format", "text"], ["{}", "--kernel", "a|e"],
            ["annotate", "{}"], ["annotate", "{}", "--format", "html", "-o", "-"],
            ["flamegraph", "{}", "--of", "allocated", "-o", "-"], ["speedscope", "{}", "-o", "-"],
            ["sql", "{}", "select * from findings, objects"], ["merge", "{}", "{original}", "-o", "{work}"]]
STEERING = [b"\x1b", b"\x07", b"\xc2\x9b", b"\xe2\x80\xae", b"\xe2\x81\xa6"]


def places(node, found):
    """Every member or element below: (its parent, its name)."""
    for name in list(node) if isinstance(node, dict) else range(len(node)):
        found.append((node, name))
        if isinstance(node[name], (dict, list)):
            places(node[name], found)
    return found


def damaged(text):
    """The summary with a few values replaced, or with a few bytes."""
    if random.random() < 0.6:
        summary = json.loads(text)
        for _ in range(random.choice([1, 1, 2, 5])):
            parent, name = random.choice(places(summary, []))
            parent[name] = random.choice(
                [random.choice(NUMBERS), random.choice(NUMBERS), random.choice(NAMES),
                 random.choice(NAMES), None, [], {}, parent[name]])
        return json.dumps(summary).encode()
    data = bytearray(text.encode())
    for _ in range(random.choice([1, 3, 10])):
        at = random.randrange(len(data))
        match random.randrange(3):
            case 0:
                data[at] = random.randrange(256)
            case 1:
                del data[at:at + random.randrange(1, 50)]
            case 2:
                data[at:at] = random.choice(BYTES)
    return bytes(data[:random.choice([len(data)] * 9 + [random.randrange(len(data))])])


def main():
    random.seed(int(sys.argv[1]))
    work = pathlib.Path(sys.argv[3])
    work.mkdir(parents=True, exist_ok=True)
    originals = [pathlib.Path(path) for path in sys.argv[4:]]
    statuses, disliked = set(), 0
    for number in range(int(sys.argv[2])):
        original = random.choice(originals)
        path = work / "summary.json"
        path.write_bytes(damaged(original.read_text()))
        command = ["gmreport"] + [word.format(path, original=original, work=work / "merged")
                                  for word in random.choice(COMMANDS)]
        done = subprocess.run(command, capture_output=True, timeout=60)
        statuses.add(done.returncode)
        failed = done.returncode not in (0, 3)
        if (done.returncode not in (0, 1, 3)
                or (failed and (done.stdout or done.stderr.count(b"\n") != 1))
                or any(each in done.stdout + done.stderr for each in STEERING)):
            disliked += 1
            kept = path.rename(work / f"disliked-{number}.json")
            print(done.returncode, *command, kept, done.stderr[-500:])
    print(f"{disliked} disliked, statuses {sorted(statuses)}")


main()
