#!/usr/bin/env python3
"""corpus.py [OPTION…] PATH…: how much of a folder of PTX the reader understands.

PATH is a file of PTX or a folder, which is searched for *.ptx. Each module is translated to LLVM IR, which
LLVM's verifier must accept, and compiled to PTX again, which ptxas must accept. With --clones, the clones of
some kernels are made for each profile, which ptxas must accept, too. Prints a table with one row for each
PATH, the instructions that stay inline assembly, and failures by cause. A module that fails counts with all
its kernels. One that ptxas does not accept as it is does not count; its number is printed.

Exit status: 0 if nothing failed, 1 if something did, 2 after a wrong command line.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

PROFILES = ("shared", "global", "objects", "heat", "cache")
ENTRY = re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)?\.entry\s+([\w$]+)", re.M)


@dataclasses.dataclass
class Clone:
    """A clone that was asked for. Cause is empty if it was made and ptxas accepts it."""

    kernel: str
    profile: str
    cause: str = ""


@dataclasses.dataclass
class Result:
    """What became of a module: the last step that it passed, and why it failed the next one."""

    file: str
    entries: int
    valid: bool = True  # ptxas accepts it as it is
    lifted: bool = False
    compiled: bool = False
    accepted: bool = False
    cause: str = ""
    modelled: int = 0
    inline: dict = dataclasses.field(default_factory=dict)  # instruction → count
    clones: list = dataclasses.field(default_factory=list)


class Tools:
    """gmprof-instrument and ptxas, with limits."""

    def __init__(self, instrument, ptxas, folder, seconds):
        self.instrument, self.ptxas, self.folder, self.seconds = instrument, ptxas, folder, seconds

    def run(self, *command):
        """Returns the messages of a command, and why it failed: None if it did not."""
        try:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                                  timeout=self.seconds, errors="replace")
        except subprocess.TimeoutExpired:
            return "", f"{pathlib.Path(command[0]).name}: more than {self.seconds} s"
        messages = done.stdout + done.stderr
        return messages, cause_of(messages, done.returncode, command) if done.returncode else None

    def assemble(self, ptx, relocatable):
        """Returns why ptxas does not accept a file; None if it does."""
        arch = re.search(r"^\s*\.target\s+(sm_\w+)", ptx.read_text(errors="replace"), re.M)
        command = [self.ptxas, f"-arch={arch[1] if arch else 'sm_90'}", ptx, "-o", "/dev/null"]
        return self.run(*command, *(["-c"] if relocatable else []))[1]


def cause_of(messages, status, command):
    """Returns the first error without what differs from module to module: places, names and numbers."""
    lines = [line for line in messages.splitlines() if re.search(r"error|fatal|LLVM ERROR|Assertion|expected", line)]
    text = lines[0] if lines else (messages.splitlines() or [f"exit status {status}"])[0]
    if status < 0:
        text = f"signal {-status}: {text}"
    text = re.sub(r"\S*\.ptx(:\d+:\d+|, line \d+)?", "", text)
    text = re.sub(r"_Z\w+|\$L\S+|%\w+|0x[0-9a-f]+", "…", text)
    text = re.sub(r"\s+", " ", re.sub(r"\b\d{3,}\b", "N", text)).strip(" ;:")
    return f"{pathlib.Path(command[0]).name}: {text}"[:200]


def examine(file, tools, clones):
    """Returns the Result of a module. Clones is the number of kernels that clones are made of."""
    entries = ENTRY.findall(file.read_text(errors="replace"))
    result = Result(str(file), len(entries))
    stem = hashlib.sha256(str(file).encode()).hexdigest()[:16]
    again, ir = tools.folder / f"{stem}.ptx", tools.folder / f"{stem}.bc"
    relocatable = False  # calls functions of other modules
    messages, cause = tools.run(tools.instrument, "lift", "--statistics", file, "-o", ir)
    result.lifted = cause is None
    if result.lifted:
        result.modelled = int(re.search(r"(\d+) instructions translated", messages)[1])
        result.inline = {name: int(count) for count, name in re.findall(r"^  (\d+) (\S+)$", messages, re.M)}
        _, cause = tools.run(tools.instrument, "relower", file, "-o", again)
        result.compiled = cause is None
    if result.compiled:
        cause = tools.assemble(again, relocatable)
        if cause and tools.assemble(file, False):
            relocatable = True
            cause = tools.assemble(again, relocatable)
        result.accepted = cause is None
    if cause:
        result.cause = cause
        result.valid = None in (tools.assemble(file, relocatable), tools.assemble(file, True))
    if result.accepted and clones:
        for kernel in random.Random(stem).sample(sorted(set(entries)), min(clones, len(set(entries)))):
            for profile in PROFILES:
                _, cause = tools.run(tools.instrument, "clone", "--profile", profile, "--kernel", kernel, file,
                                     "-o", again)
                cause = cause or tools.assemble(again, relocatable)
                result.clones.append(Clone(kernel, profile, cause or ""))
    for path in (again, ir):
        path.unlink(missing_ok=True)
    return result


class Results:
    """Results of modules, each of which is written to a file once it is known. What a file has is not made again."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if path and path.exists():
            for line in path.read_text().splitlines():
                fields = json.loads(line)
                fields["clones"] = [Clone(**clone) for clone in fields["clones"]]
                self.known[fields["file"]] = Result(**fields)

    def of(self, file, *arguments):
        if str(file) not in self.known:
            self.known[str(file)] = result = examine(file, *arguments)
            if self.path:
                with self.path.open("a") as stream:
                    stream.write(json.dumps(dataclasses.asdict(result)) + "\n")
        return self.known[str(file)]


def share(part, whole, digits=2):
    """Returns a percentage."""
    return f"{100 * part / whole:.{digits}f} %" if whole else "-"


def table(groups):
    """Returns a Markdown table of results, one row for each group."""
    rows = ["| source | modules | kernels | lifted, verified | compiled | accepted by ptxas | inline assembly | clones |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, results in groups:
        results = [r for r in results if r.valid]
        kernels = sum(r.entries for r in results)
        counts = [sum(r.entries for r in results if getattr(r, step)) for step in ("lifted", "compiled", "accepted")]
        inline = sum(sum(r.inline.values()) for r in results)
        clones = [c for r in results for c in r.clones]
        made = sum(not c.cause for c in clones)
        rows.append(f"| {name} | {len(results)} | {kernels} | {counts[0]} ({share(counts[0], kernels)}) | {counts[1]} | "
                    f"{counts[2]} ({share(counts[2], kernels)}) | "
                    f"{share(inline, inline + sum(r.modelled for r in results), 1)} | "
                    f"{f'{made} of {len(clones)}' if clones else '-'} |")
    return "\n".join(rows)


def causes(failures):
    """Returns failures by cause, the most frequent one first, each with a file that shows it."""
    by_cause = collections.defaultdict(list)
    for cause, where, kernels in failures:
        by_cause[cause].append((where, kernels))
    order = sorted(by_cause.items(), key=lambda item: -sum(kernels for _, kernels in item[1]))
    return [f"{sum(kernels for _, kernels in where):6} kernels in {len(where)} modules: {cause}\n         {where[0][0]}"
            for cause, where in order]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, metavar="PATH")
    parser.add_argument("--instrument", default="gmprof-instrument", help="default: %(default)s")
    parser.add_argument("--ptxas", default="ptxas", help="default: %(default)s")
    parser.add_argument("--clones", type=int, default=0, metavar="N", help="make clones of N kernels of each module")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="modules at a time; default: %(default)s")
    parser.add_argument("--seconds", type=int, default=300, help="limit of one command; default: %(default)s")
    parser.add_argument("--rows", type=int, default=40, help="instructions to list; default: %(default)s")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE",
                        help="append each module's result to FILE; modules that it has are not examined again")
    options = parser.parse_args()
    for tool in (options.instrument, options.ptxas):
        if not shutil.which(tool):
            parser.error(f"cannot find the program '{tool}'")
    files = {}
    for path in options.paths:
        files[path] = sorted(path.rglob("*.ptx")) if path.is_dir() else [path]
        if not files[path] or not all(file.is_file() for file in files[path]):
            parser.error(f"no PTX in {path}")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tools = Tools(options.instrument, options.ptxas, pathlib.Path(folder), options.seconds)
        results = Results(options.results)
        running = [(path.name, [pool.submit(results.of, file, tools, options.clones) for file in files[path]])
                   for path in options.paths]
        groups = [(name, [future.result() for future in futures]) for name, futures in running]
    every = [result for _, results in groups for result in results]
    print(table(groups + ([("all", every)] if len(groups) > 1 else [])))
    invalid = [r for r in every if not r.valid]
    if invalid:
        print(f"\n{len(invalid)} modules are not counted: ptxas does not accept them as they are.")
    inline = collections.Counter()
    for result in every:
        inline.update(result.inline)
    total = sum(inline.values()) + sum(r.modelled for r in every)
    if inline:
        print("\nInstructions that stay inline assembly:")
        for name, count in inline.most_common(options.rows):
            print(f"{count:8} {share(count, total):>8} {name}")
    failed = [(r.cause, r.file, r.entries) for r in every if r.valid and r.cause]
    failed_clones = [(c.cause, f"{r.file} --profile {c.profile} --kernel {c.kernel}", 1)
                     for r in every if r.valid for c in r.clones if c.cause]
    for title, failures in (("Failures", failed), ("Failures of clones", failed_clones)):
        if failures:
            print(f"\n{title}:", *causes(failures), sep="\n")
    return bool(failed or failed_clones)


if __name__ == "__main__":
    sys.exit(main())
