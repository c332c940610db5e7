#!/usr/bin/env python3
"""Runs the commands of a page of documentation and compares what they print.

A block of a page that is fenced as `console` has commands behind `$ `, each
followed by what it prints, output and errors together:

    ```console
    $ gmreport check prof
    passed: 0 of 0 findings fail
    ```

All commands of a page run in one shell, one after the other, in a folder of their
own. The project is in ~/gmprof there, with what was built in ~/gmprof/build. Each
has to exit with 0, but where the next command is `echo $?`. In what is expected, a
line `…` stands for any lines and `…` in a line for any text; times, dates and
devices are not compared, nor how many spaces there are. A command may go on after
a backslash. Comments in front of a block:

    <!-- test: skip, why -->           its commands are not run
    <!-- test: in test/consumer -->    they run in a fresh copy of that folder
    <!-- test: times vary -->          severities, numbers and line breaks are not
                                       compared, as these depend on times

With --update, what is printed takes the place of what was expected, but where that
has a `…`.
"""

import argparse
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys

VOLATILE = [
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "DATE"),
    (r"GMProf CPU device \(sm_\d+\)|NVIDIA [^,]+", "DEVICE"),
    (r"\d[\d.,]* (s|ms|us|µs)\b", "TIME"),
]
MARK = "@@ step"


CODE = ["pass", "runtime", "static-analysis"]  # folders with pages beside the code


def pages(source):
    """All pages of the project."""
    beside_code = (page for folder in CODE for page in (source / folder).rglob("README.md")
                   if "node_modules" not in page.parts)
    return [source / "README.md", source / "examples/README.md",
            *sorted((source / "docs").rglob("*.md")), *sorted(beside_code)]


@dataclasses.dataclass
class Step:
    line: int
    command: str
    expected: list
    folder: str = ""  # of the project, to be copied and entered before
    times_vary: bool = False
    may_fail: bool = False


def blocks(text):
    """Fenced blocks: line, language, what the comment in front says to tests, lines."""
    lines, note, at = text.splitlines(), "", 0
    while at < len(lines):
        fence = re.fullmatch(r"(`{3,})(\S*)", lines[at])
        if fence:
            end = lines.index(fence[1], at + 1)
            yield at + 1, fence[2], note, lines[at + 1:end]
            at = end
        said = re.fullmatch(r"<!-- test: (.*) -->", lines[at])
        if said or lines[at].strip():
            note = said[1] if said else ""
        at += 1


def steps(text):
    """The commands of a page, and what each is said to print."""
    found = []
    for line, language, note, content in blocks(text):
        if language != "console" or note.startswith("skip"):
            continue
        folder = note.removeprefix("in ") if note.startswith("in ") else ""
        at = 0
        while at < len(content):
            if not content[at].startswith("$ "):
                raise ValueError(f"line {line + at + 1}: a command begins with `$ `")
            step = Step(line + at + 1, content[at][2:], [], folder, note == "times vary")
            while step.command.endswith("\\"):
                at += 1
                step.command += "\n" + content[at]
            at += 1
            while at < len(content) and not content[at].startswith("$ "):
                step.expected.append(content[at])
                at += 1
            if found and step.command == "echo $?":
                found[-1].may_fail = True
            found.append(step)
            folder = ""
    return found


def stable(line):
    """A line without what differs from run to run."""
    for pattern, name in VOLATILE:
        line = re.sub(pattern, name, line)
    if "TIME" in line:
        line = re.sub(r"[-+]?\d[\d.,]* %|-$", "SHARE", line)
    return " ".join(line.split())


def matches(step, printed):
    """Whether these lines are as expected."""
    gap, expected = "@@ gap", [line.strip() for line in trimmed(step.expected)]
    expected = [gap if line == "…" else stable(line) for line in expected]
    printed = [stable(line) for line in printed]
    if step.times_vary:
        varies = re.compile(r"\[(info|low|medium|high)\]|\d[\d.,]*")
        expected, printed = ([varies.sub("N", stable(" ".join(lines)))]
                             for lines in (expected, printed))
    pattern = "".join(re.escape(line).replace("…", r"[^\n]*") + r"\n" for line in expected)
    if step.times_vary:
        for before, after in [(" ", " "), ("", " "), (" ", ""), ("", "")]:
            pattern = pattern.replace(re.escape(before + gap + after),
                                      f"{before}(?:.*?{after})?" if after else f"(?:{before}.*?)?")
    else:
        pattern = pattern.replace(re.escape(gap) + r"\n", r"(?:[^\n]*\n)*?")
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def trimmed(lines):
    """Without empty lines at the begin and the end."""
    text = "\n".join(lines).strip("\n")
    return text.split("\n") if text else []


def run(todo, source, build, work):
    """Runs the steps; yields each with its exit status and what it printed."""
    shutil.rmtree(work, ignore_errors=True)
    home = work / "home"
    (home / "gmprof").mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name == "examples":  # so that paths in reports are as users see them
            shutil.copytree(entry, home / "gmprof/examples")
        elif entry.name != "build":
            (home / "gmprof" / entry.name).symlink_to(entry)
    (home / "gmprof" / "build").symlink_to(build)
    script = f"export HOME='{home}' PATH='{build}/bin':\"$PATH\"\n" \
        "unset COLUMNS LINES GMPROF_CLANG\nexport GMPROF_OPTIONS=device=cpu\n" \
        "mkdir -p ~/work\ncd ~/work\n"
    for number, step in enumerate(todo):
        if step.folder:
            script += f"cp -r ~/gmprof/{step.folder} ~/in{number} && cd ~/in{number}\n"
        script += f"{{ {step.command}\n}} 2>&1\n_status=$?\n" \
            f"echo; echo '{MARK}' {number} $_status; (exit $_status)\n"
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    at = 0
    for number, step in enumerate(todo):
        end = re.compile(rf"^{MARK} {number} (\d+)\n", re.M).search(done.stdout, at)
        if not end:
            raise ValueError(f"line {step.line}: the shell ended: {done.stdout[at:]}")
        yield step, int(end[1]), trimmed(done.stdout[at:end.start()].split("\n"))
        at = end.end()


def failures(page, source, build, work):
    """What a page says wrongly."""
    found = []
    try:
        for step, status, printed in run(steps(page.read_text()), source, build, work):
            where = f"{page}:{step.line}: {step.command}\n"
            if status != 0 and not step.may_fail:
                found.append(where + f"exit status {status}\n" + "\n".join(printed))
            elif not matches(step, printed):
                found.append(where + "expected:\n" + "\n".join(step.expected) + "\nprinted:\n" +
                             "\n".join(printed))
    except ValueError as error:
        found.append(f"{page}: {error}")
    return found


def update(page, source, build, work):
    """Puts what commands print into the page, where that is not as expected."""
    lines = page.read_text().splitlines()
    done = list(run(steps(page.read_text()), source, build, work))
    for step, _, printed in reversed(done):
        if not matches(step, printed) and "…" not in "".join(step.expected):
            first = step.line + step.command.count("\n")
            lines[first:first + len(step.expected)] = printed
    page.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("page", type=pathlib.Path)
    for name in ["source", "build", "work"]:
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true")
    o = parser.parse_args()
    places = o.source.resolve(), o.build.resolve(), o.work.resolve()
    if o.update:
        update(o.page, *places)
    found = failures(o.page, *places)
    print("\n\n".join(found) or f"{o.page.name}: {len(steps(o.page.read_text()))} commands")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
