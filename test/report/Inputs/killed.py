"""Kills a command before each of its system calls that change a file, one after the other: each
file is then what it was before, or what the command makes of it. killed.py KILL-AT FOLDER FILES
COMMAND … runs the command in a copy of FOLDER; FILES are those that it writes, with a comma
between them."""

import pathlib
import re
import shutil
import subprocess
import sys

kill_at, folder, names, *command = sys.argv[1:]
names = names.split(",")
work = pathlib.Path(folder + ".killed")


def run(*prefix):
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(folder, work)
    return subprocess.run([*prefix, *command], cwd=work, stdout=subprocess.DEVNULL,
                          check=False).returncode


def contents():
    return {path.name: path.read_bytes() for path in work.iterdir()}


shutil.rmtree(work, ignore_errors=True)
shutil.copytree(folder, work)
before = contents()
assert run() == 0
after = contents()
assert {name for name in after if after[name] != before.get(name)} == set(names), after.keys()
seen = {name: set() for name in names}  # before, after
at = 1
while run(kill_at, str(at)) == 137:
    found = contents()
    for name in names:
        states = [state for state, content in (("before", before), ("after", after))
                  if found.get(name) == content.get(name)]
        assert states, f"{name} is half written before call {at}"
        seen[name].update(states)
    left = [name for name in found if name not in after and name not in before]
    assert all(re.sub(r"\.\w{6}(-journal)?$", "", name) in names for name in left), left
    at += 1
assert contents() == after
# The command does the same in a folder with files of a killed one.
run(kill_at, "3")
assert len(contents()) > len(before)
assert subprocess.run(command, cwd=work, stdout=subprocess.DEVNULL, check=False).returncode == 0
assert {name: contents()[name] for name in after} == after
for name in names:
    print(name, "is whole each time, seen", " and ".join(sorted(seen[name])))
