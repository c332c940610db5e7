#!/usr/bin/env python3
"""Builds, runs and checks the end-to-end tests. Needs nothing but Python.

A test is a .cu file whose first comment lines say what to do:

  // DEVICE: gpu            only there; by default on each that there is
  // DEVICES: 2             how many the program needs; the CPU device has as many as that
  // BUILD: -O2 -g          flags for gmprof-clang++; several lines, several variants; %cuda is
  //                        where CUDA is
  // BUILD-NVCC: -O2        flags for nvcc, likewise; such programs are run by gmprof run
  // FILES: a.cu b.cu       further sources, from Inputs/
  // EXAMPLE: em/em_v1.cu   the program, from examples/, in the place of the test itself
  // RUN: 7                 the program's arguments; several lines, several runs
  // OPTIONS: block-sample=4    GMPROF_OPTIONS of the profiled run; profile=shared unless another is named
  // EXPECT: <expression>   Python, over the summary; must be true
  // EXPECT-CPU: <expression>   the same, only on the CPU device
  // EXPECT-GPU: <expression>   the same, only on a GPU
  // EXPECT-OUTPUT: text    a line of the program's output
  // EXPECT-EXIT: 0         the program's exit status
  // EXPECT-SAME-HEAT:      all variants have the same heat: maps, requests and findings

Lines that follow one of these and begin with four spaces or more continue it.

Each program runs twice, with profiling off and on, and must print the same and
end with the same status. In expressions: kernel("name") is a Kernel,
shared("kernel", "array") an Array and memory("kernel", "object") a Memory, see
below; accesses("kernel") lists the objects that it accesses; elements("object") is what is known of
an object's elements, variation("object", "kernel") how unevenly a kernel accesses these, and
finding("pattern", "object") a finding's evidence; heat("kernel", "object") a Heat, heat_lines of both the
accesses in the source, and heat_findings() the patterns found in heat maps; summary and coverage are those of summary.json. An object without a
name is given by its size in bytes.
"""

import argparse
import ast
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import types

HEAT_PATTERNS = ["uncoalesced_access", "hot_spot", "false_sharing", "misaligned_access", "strided_access",
                 "shared_memory_abuse", "bank_conflict"]
ARCHITECTURES = "share/gmprof/architectures"
ELEMENT_PATTERNS = ["overallocation", "nonuniform_access_frequency", "structured_access"]
SECONDS = 300  # for one program; a hang must not stop the tests


class Failure(Exception):
    """Why a test failed."""


# ---------------------------------------------------------------------------
# The summary, as expressions see it


class Array:
    """What a kernel did to one shared array, summed over blocks and launches.

    counts    accesses of each element (of each word where elements are smaller)
    capped    in how many blocks the element reached the threshold
    ranges    live ranges of words by number of accesses, {accesses: ranges}
    """

    def __init__(self, use, obj, rows):
        self.use, self.object = use, obj
        self.name, self.bytes = obj["name"], obj["bytes"]
        rows = sorted(rows, key=lambda row: int(row["index"]))
        if [int(row["index"]) for row in rows] != list(range(use["count_elements"])):
            raise Failure(f"shared_counts.csv has not every element of {self.name}")
        self.counts = [int(row["accesses"]) for row in rows]
        self.capped = [int(row["blocks_at_threshold"]) for row in rows]
        self.counts_of = use["counts_of"]
        self.blocks = use["blocks_counted"]
        self.min, self.mean, self.max = (use["per_block"][k]["value"] for k in ("min", "mean", "max"))
        self.accesses = use["accesses"]["value"]
        self.threshold = use["threshold"]["value"] if use["threshold"] else None
        self.sites = [types.SimpleNamespace(
            **{**site, "line": (site["source"] or {}).get("line", 0)}) for site in use["sites"]]
        self.never_touched = [(r["first"], r["last"]) for r in use["never_touched"]["ranges"]]
        self.live_ranges = use["live_ranges"]

    @property
    def ranges(self):
        """Live ranges of words, by accesses (or by the least number of a bucket)."""
        return {b["from"]: b["ranges"] for b in self.live_ranges["histogram"] if b["ranges"]}

    @property
    def range_records(self):
        """Single live ranges: clock at begin and end, accesses, moved in."""
        return [(r["begin"], r["end"], r["accesses"], r["moved_in"])
                for r in self.live_ranges["records"]]

    def moves(self, kind):
        """Lines and device arrays of the `begins` or `ends`."""
        return [((m["source"] or {}).get("line", 0), m["device_array"])
                for m in self.live_ranges[kind]]

    @property
    def word_counts(self):
        """Accesses of each 4-byte word. An element of several words counts once,
        so this holds only where accesses are of whole elements."""
        element = self.object["element_bytes"] or 4
        if self.counts_of == "words" or element <= 4:
            return self.counts
        return [count for count in self.counts for _ in range(element // 4)]

    def at_least(self, index, count):
        """Exactly count accesses, or the threshold was reached before."""
        return self.counts[index] == count or (
            self.capped[index] > 0 and self.counts[index] <= count)


class Memory:
    """What a kernel did to one object of global memory, summed over launches.

    reads, writes, atomics    accesses of each element; None if not profiled
    launches                  of each of these kinds, those that were profiled
    capped                    of each element, whether it reached the threshold
    """

    def __init__(self, use, obj, rows):
        self.use, self.object = use, obj
        self.names = [*use["names"], obj["name"]]
        self.element_bytes, self.launches = use["element_bytes"], {}
        self.capped = [False] * use["elements"]
        for kind in ("reads", "writes", "atomics"):
            counts = None
            if use[kind]:
                self.launches[kind] = use[kind]["launches"]
                counts = [0] * use["elements"]
                for row in rows:
                    for index in range(int(row["first"]), int(row["last"]) + 1):
                        counts[index] = int(row[kind])
                        self.capped[index] |= row["at_threshold"] == "1"
            setattr(self, kind, counts)
        self.rules = sorted({site["rule"] for site in use["sites"]})


class Heat:
    """Which warps of the sampled blocks accessed an object, in one launch ('gmreport heat').

    words     temperatures, from the object's first word on
    sectors   temperatures, from the sector on that it begins in
    accesses  of all, by threads
    sharers   of shared memory, for each word T, W, S, or - (nobody): thread, warp, several warps
    """

    def __init__(self, address, size, rows):
        first, end = address // 32, (address + size + 31) // 32
        words, sharers = [0] * (8 * (end - first)), ["-"] * (8 * (end - first))
        self.sectors, self.accesses = [0] * (end - first), 0
        for row in rows:
            self.accesses += int(row["accesses"])
            for sector in range(int(row["tag"]) - first,
                                int(row["tag"]) - first + int(row["sectors"])):
                self.sectors[sector] = int(row["sector"])
                words[8 * sector:8 * sector + 8] = [int(row[f"word{w}"]) for w in range(8)]
                sharers[8 * sector:8 * sector + 8] = row["sharers"] or "-" * 8
        lead, count = address % 32 // 4, (size + 3) // 4
        self.words = words[lead:lead + count]
        self.sharers = "".join(sharers[lead:lead + count])


class Kernel:
    def __init__(self, data, arrays, memory):
        self.data, self.arrays, self.memory = data, arrays, memory
        self.name, self.demangled = data["name"], data["demangled"]
        self.blocks = max((a.blocks for a in arrays), default=0)
        # "shared" or "device"
        self.counters = data["counters_in"].split()[0] if data["counters_in"] else None
        self.level, self.instrumented = data["level"], data["instrumented"]
        self.reason = data["reason"]
        self.launches = [types.SimpleNamespace(**group)
                         for group in data["launches"] for _ in range(group["count"])]


def short_name(demangled):
    """Without return type and parameters: void scale<int>(int) is scale<int>."""
    demangled = demangled.replace("(anonymous namespace)::", "")
    depth, start, end = 0, 0, len(demangled)
    for i, c in enumerate(demangled):
        if c in "<([" and not (c == "(" and depth == 0):
            depth += 1
        elif c in ">)]" and depth:
            depth -= 1
        elif depth == 0 and c == " ":
            start = i + 1
        elif depth == 0 and c == "(":
            end = i
            break
    return demangled[start:end]


class Summary:
    def __init__(self, directory, gmreport=None, environment=None):
        """gmreport and its environment are for heat maps."""
        directory = pathlib.Path(directory)
        self.directory, self.gmreport, self.environment = directory, gmreport, environment
        try:
            self.data = json.loads((directory / "summary.json").read_text())
        except (OSError, ValueError) as error:
            raise Failure(f"no summary: {error}") from error
        rows = {}
        for name in ("shared_counts.csv", "global_counts.csv"):
            counts = directory / name
            if counts.exists():
                with open(counts, newline="") as file:
                    for row in csv.DictReader(file):
                        key = (name, int(row["kernel"]), int(row["object"]))
                        rows.setdefault(key, []).append(row)
        objects = {obj["id"]: obj for obj in self.data["objects"]}
        self.kernels = []
        for data in self.data["kernels"]:
            def uses(kind, file, found):
                return [kind(use, objects[use["object"]],
                             rows.get((file, data["id"], use["object"]), [])) for use in found]
            arrays = uses(Array, "shared_counts.csv",
                          [use for use in data["objects"] if use["space"].startswith("shared")])
            memory = uses(Memory, "global_counts.csv",
                          (data.get("global_memory") or {}).get("objects", []))
            self.kernels.append(Kernel(data, arrays, memory))

    def kernel(self, name):
        for wanted in (lambda k: k.name == name or short_name(k.demangled) == name,
                       lambda k: short_name(k.demangled).split("<")[0] == name):
            found = [k for k in self.kernels if wanted(k)]
            if len(found) == 1:
                return found[0]
        raise Failure(f"no kernel {name} among " +
                      ", ".join(short_name(k.demangled) for k in self.kernels))

    def shared(self, kernel, array):
        arrays = self.kernel(kernel).arrays
        for a in arrays:
            # extern arrays are one region, named after all of them
            if array in re.split(r",\s*", a.name) or a.name == array:
                return a
        raise Failure(f"no array {array} among " + ", ".join(a.name for a in arrays))

    def memory(self, kernel, wanted):
        found = [m for m in self.kernel(kernel).memory
                 if wanted in m.names or wanted == m.object["bytes"]]
        if len(found) == 1:
            return found[0]
        raise Failure(f"{len(found)} objects {wanted} among " + ", ".join(
            f"{'/'.join(m.names)} ({m.object['bytes']})" for m in self.kernel(kernel).memory))

    def accesses(self, kernel):
        """Objects that a kernel's launches access: name, launches that read it and that
        write it, how that is known."""
        return [(self.data["objects"][a["object"]]["name"], a["reads"], a["writes"], a["known"])
                for a in self.kernel(kernel).data["object_accesses"]]

    def finding(self, pattern, name):
        """The evidence of the pattern's finding about an object."""
        found = [f["evidence"] for f in self.data["findings"]
                 if f["pattern"] == pattern and f["object"]["name"] == name]
        if len(found) == 1:
            return found[0]
        raise Failure(f"{len(found)} findings {pattern} about {name}")

    def elements(self, name):
        """What is said of an object's elements."""
        for obj in self.data["objects"]:
            if obj["name"] == name and obj["elements"]:
                return obj["elements"]
        raise Failure(f"nothing is known of the elements of {name}")

    def variation(self, name, kernel):
        """How unevenly a kernel's launches access an object's elements."""
        wanted = self.kernel(kernel).data["id"]
        for use in self.elements(name)["frequencies"]:
            if use["kernel"] == wanted:
                return use["variation"]["value"]
        raise Failure(f"it is not known how often {kernel} accesses elements of {name}")

    def heat_rows(self, kernel, by):
        """Of all launches of a kernel, lines that 'gmreport heat' prints."""
        done = call([self.gmreport, "heat", self.directory / "summary.json", "--format", "csv",
                     "--by", by], self.environment)
        if done.returncode != 0:
            raise Failure(done.stderr)
        wanted = self.kernel(kernel).demangled
        return [row for row in csv.DictReader(done.stdout.splitlines()) if row["kernel"] == wanted]

    def all_heat(self):
        """What is known of heat, but for how: the same whether accesses were recorded or follow from
        the launch. Arrays of shared memory have addresses only in recorded accesses."""
        maps = []
        for by in ["all", "reads", "writes", "atomics"]:
            done = call([self.gmreport, "heat", self.directory / "summary.json", "--format", "csv",
                         "--by", by], self.environment)
            if done.returncode != 0:
                raise Failure(done.stderr)
            maps += [(by, sorted(tuple(value for name, value in row.items() if name != "tag")
                                 for row in csv.DictReader(done.stdout.splitlines())))]
        kernels = [{name: value for name, value in (kernel.get("heat") or {}).items()
                    if name != "instructions_by_closed_forms"}
                   for kernel in self.data["kernels"]]
        found = [{name: value for name, value in finding["evidence"].items() if name != "predicted"}
                 for finding in self.data["findings"]]
        return {"maps": maps, "kernels": kernels, "findings": found}

    def heat_launches(self, kernel):
        """Numbers of the sampled launches."""
        return sorted({int(row["launch"]) for row in self.heat_rows(kernel, "all")})

    def heat(self, kernel, wanted, by="all", launch=None):
        """What is known of an object; by: all, reads, writes or atomics."""
        launches = self.heat_launches(kernel)
        if launch is None and len(launches) != 1:
            raise Failure(f"which launch of {kernel}: {launches}?")
        rows = [row for row in self.heat_rows(kernel, by)
                if int(row["launch"]) == (launch or launches[0])]
        shared = [row for row in rows if row["space"] == "shared" and row["object"] == wanted]
        if shared:
            first, last = int(shared[0]["tag"]), int(shared[-1]["tag"])
            return Heat(32 * first, 32 * (last + int(shared[-1]["sectors"]) - first), shared)
        found = []
        for obj in self.data["objects"]:
            inside = [row for row in rows if row["space"] == "global" and obj["address"] and
                      obj["address"] // 32 <= int(row["tag"]) and
                      32 * int(row["tag"]) < obj["address"] + obj["bytes"]]
            if obj["kernel"] is None and wanted in (obj["bytes"], obj["name"], *{
                    row["object"].split(" (")[0] for row in inside}):
                found.append(Heat(obj["address"], obj["bytes"], inside))
        if len(found) != 1:
            raise Failure(f"{len(found)} objects {wanted} among " +
                          ", ".join(sorted({row["object"] for row in rows})))
        return found[0]

    def heat_lines(self, kernel, wanted):
        """Accesses of an object in the source, by lines: requests, lanes, sectors and so on."""
        use = self.kernel(kernel).data["heat"]
        objects = {obj["id"]: obj for obj in self.data["objects"]}
        found = [o for o in use["objects"] + use["arrays"]
                 if wanted in (o.get("name"), objects[o["object"]]["name"])]
        if len(found) != 1:
            raise Failure(f"{len(found)} objects {wanted}")
        return sorted((types.SimpleNamespace(**line) for line in found[0]["lines"]),
                      key=lambda line: (line.source["line"], line.column))

    def heat_findings(self):
        """Pattern, kind, object and line of each, sorted."""
        return sorted((f["pattern"], f["kind"], (f["object"] or {}).get("name", ""),
                       (f["source"] or {}).get("line", 0))
                      for f in self.data["findings"] if f["pattern"] in HEAT_PATTERNS)

    def names(self):
        return {"heat": self.heat, "heat_lines": self.heat_lines, "heat_launches": self.heat_launches,
                "heat_findings": self.heat_findings, "accesses": self.accesses,
                "summary": self.data, "coverage": self.data["coverage"],
                "kernel": self.kernel, "shared": self.shared, "memory": self.memory,
                "finding": self.finding, "elements": self.elements, "variation": self.variation,
                "element_patterns": ELEMENT_PATTERNS}


def check_expression(text, names):
    """Raises Failure with both sides of a comparison that does not hold."""
    try:
        if eval(text, dict(names)):
            return
        top = ast.parse(text.strip(), mode="eval").body
        details = ""
        if isinstance(top, ast.Compare):
            for side in [top.left, *top.comparators]:
                value = repr(eval(compile(ast.Expression(side), "", "eval"), dict(names)))
                details += f"\n    {ast.unparse(side)}: {value[:1500]}"
    except Failure:
        raise
    except Exception as error:
        raise Failure(f"{text}: {type(error).__name__}: {error}") from error
    raise Failure(f"not true: {text}{details}")


# ---------------------------------------------------------------------------
# Tests and their parts


def read_test(path):
    """The directives of a test as a dictionary of lists."""
    keys = ["DEVICE", "DEVICES", "BUILD", "BUILD-NVCC", "FILES", "EXAMPLE", "RUN", "OPTIONS", "EXPECT", "EXPECT-CPU", "EXPECT-GPU",
            "EXPECT-OUTPUT", "EXPECT-EXIT", "EXPECT-SAME-HEAT"]
    found = {key: [] for key in keys}
    values = None  # of the directive on the line before
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r"// ([A-Z-]+):(?: (.*))?$", line)
        continued = re.match(r"// {4,}(\S.*)", line)
        if continued and values:
            values[-1] += " " + continued[1].strip()
            continue
        # A formatter joins lines of a comment that it breaks.
        if re.match(rf"// .*\S ({'|'.join(keys)}):( |$)", line):
            raise Failure(f"{path.name}:{number}: a directive within a line")
        values = found.get(match[1]) if match else None
        if values is not None:
            values.append((match[2] or "").strip())
        elif match and re.match("DEVICE|BUILD|FILE|EXAMPLE|RUN|OPTION|EXPECT", match[1]):
            raise Failure(f"{path.name}:{number}: unknown directive {match[1]}")
    if not found["BUILD-NVCC"]:
        found["BUILD"] = found["BUILD"] or ["-O2"]
    found["RUN"] = found["RUN"] or [""]
    if not any(found[key] for key in keys if key.startswith("EXPECT")):
        raise Failure(f"{path.name} expects nothing")
    return found


def devices_needed(directives):
    return int(directives["DEVICES"][0]) if directives["DEVICES"] else 1


def runs_on(directives, device):
    gpus = len(list(pathlib.Path("/dev").glob("nvidia[0-9]*")))
    return directives["DEVICE"] in ([], [device]) and (
        device == "cpu" or devices_needed(directives) <= max(gpus, 1))


def clone_cache(work):
    """Variables of the environment that keep clones in the tests' folder."""
    return {"XDG_CACHE_HOME": str((work / "cache").resolve())}


def call(command, environment=None, **kwargs):
    try:
        return subprocess.run([str(c) for c in command], env={**os.environ, **(environment or {})},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=SECONDS, **kwargs)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{command[0]} did not end in {SECONDS} s") from error
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}") from error


def sources_of(test, directives):
    """What to compile, and the headers of the project that it includes."""
    inputs = [test.parent / "Inputs" / f for names in directives["FILES"] for f in names.split()]
    if not directives["EXAMPLE"]:
        return [test, *inputs], sorted(test.parent.glob("*.h"))
    examples = test.parent.parent.parent / "examples"
    program = examples / directives["EXAMPLE"][0]
    if not program.is_file():
        raise Failure(f"{test.name}: no example {directives['EXAMPLE'][0]}")
    return [program, *inputs], sorted([*examples.glob("*.h"), *program.parent.glob("*.h")])


def without_helper(flags):
    """Flags for a machine that has no gmprof-instrument."""
    return flags if "--gmprof-clones" in flags else f"{flags} --gmprof-clones=compiled"


def build_variant(test, compiler, arch, flags, directives, program):
    """Compiles one variant, unless the program was made from the same already. The compiler, and
    what it is made of."""
    sources, headers = sources_of(test, directives)
    command = [compiler[0], f"-arch={arch}", f"-I{test.parent}", *shlex.split(flags), *sources,
               "-o", program]
    stamp = program.with_suffix(".stamp")
    digest = hashlib.sha256(repr([str(c) for c in command]).encode())
    for part in [*compiler, *headers, *sources]:
        digest.update(pathlib.Path(part).read_bytes())
    if program.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    stamp.unlink(missing_ok=True)
    done = call(command)
    if done.returncode != 0 or done.stderr or done.stdout:
        raise Failure(f"compiling with {flags or 'no flags'}:\n$ {shlex.join(map(str, command))}\n"
                      + done.stdout + done.stderr)
    stamp.write_text(digest.hexdigest())


def build(test, prefix, arch, out, cuda="/usr/local/cuda", has_helper=True):
    """Builds all variants of a test. Returns its manifest, with the errors in it."""
    out.mkdir(parents=True, exist_ok=True)
    found = read_test(test)
    compilers = {"BUILD": [prefix / "bin/gmprof-clang++", prefix / "lib/libGMPass.so"],
                 "BUILD-NVCC": [pathlib.Path(cuda) / "bin/nvcc"]}
    variants = []
    for key, flags in [(key, flags) for key in compilers for flags in found[key]]:
        program = out / f"{test.stem}-{len(variants)}"
        variants.append({"flags": flags, "program": program.name, "error": "",
                         "by_nvcc": key == "BUILD-NVCC"})
        try:
            flags = flags.replace("%cuda", str(cuda))
            if key == "BUILD" and not has_helper:
                flags = without_helper(flags)
            build_variant(test, compilers[key], arch, flags, found, program)
        except Failure as failure:
            variants[-1]["error"] = str(failure)
    return {"name": test.stem, "variants": variants, "directives": found}


def check_schema(summary):
    """summary.json against its schema, where both the schema and a validator are."""
    schema = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/summary.schema.json"
    try:
        import jsonschema
    except ImportError:
        return
    if schema.exists():
        errors = list(jsonschema.Draft202012Validator(json.loads(schema.read_text()))
                      .iter_errors(summary))
        if errors:
            raise Failure(f"summary.json does not follow its schema: {errors[0].message} at "
                          f"{list(errors[0].absolute_path)}")


def run_once(program, arguments, device, directives, work, environment, gmreport=None,
             by_nvcc=False):
    """One run without and one with profiling, and all that is expected of them."""
    base = [f"device={device}", "quiet=1", "profile=shared"]
    if device == "gpu":
        base.append("unwind=off")  # functions and lines take LLVM, which the machine need not have
    environment = {**environment, "GMPROF_CPU_DEVICES": str(devices_needed(directives))}
    runs = {}
    for mode, options in [("plain", ["profile=off"]), ("profiled", directives["OPTIONS"])]:
        output = work / mode
        shutil.rmtree(output, ignore_errors=True)
        # Nothing of GMProf is in a program of nvcc, nor the CPU device.
        needs_start = by_nvcc and (mode == "profiled" or device == "cpu")
        start = [gmreport.parent / "gmprof", "run", "--"] if needs_start else []
        runs[mode] = call([*start, program, *shlex.split(arguments)], cwd=work, environment={
            **environment, "GMPROF_OPTIONS": ":".join([*base, *options, f"output={output}"])})
    plain, profiled = runs["plain"], runs["profiled"]
    status = int(directives["EXPECT-EXIT"][0]) if directives["EXPECT-EXIT"] else 0
    if plain.returncode != status:
        raise Failure(f"exit status {plain.returncode}, not {status}, with profiling off\n"
                      + plain.stdout + plain.stderr)
    if (profiled.returncode, profiled.stdout) != (plain.returncode, plain.stdout):
        raise Failure("profiling changes the program:\n"
                      f"off: status {plain.returncode}\n{plain.stdout}{plain.stderr}"
                      f"on: status {profiled.returncode}\n{profiled.stdout}{profiled.stderr}")
    if profiled.stderr != plain.stderr:
        raise Failure(f"profiling writes to stderr:\n{profiled.stderr}")
    for line in directives["EXPECT-OUTPUT"]:
        if line not in plain.stdout.splitlines():
            raise Failure(f"the output has no line '{line}':\n{plain.stdout}")
    expressions = directives["EXPECT"] + directives[f"EXPECT-{device.upper()}"]
    if expressions:
        names = Summary(work / "profiled", gmreport, environment).names()
        check_schema(names["summary"])
        ran_on = names["summary"]["run"]["device"]
        if ran_on != device:
            raise Failure(f"ran on the {ran_on}, not on the {device}")
        for text in expressions:
            check_expression(text, names)
    if directives["EXPECT-SAME-HEAT"]:
        return Summary(work / "profiled", gmreport, environment).all_heat()
    return None


def check_same(heats):
    """Of a test's variants."""
    for part in heats[0] if heats and heats[0] else []:
        for other in heats[1:]:
            if other[part] != heats[0][part]:
                pairs = zip(heats[0][part], other[part])
                first = next((pair for pair in pairs if pair[0] != pair[1]), "their number")
                raise Failure(f"variants differ in the {part} of their heat: {str(first)[:1500]}")


def run_test(manifest, programs, device, work, environment, gmreport):
    """Runs all variants of a test. Returns what failed, one text for each."""
    failures = []
    heats = {}  # by run, of the variants so far
    if not runs_on(manifest["directives"], device):
        return failures
    for variant in manifest["variants"]:
        if variant["error"]:
            failures.append(f"{manifest['name']}: {variant['error']}")
            continue
        for index, arguments in enumerate(manifest["directives"]["RUN"]):
            same = heats.setdefault(index, [])
            place = (work / device / f"{variant['program']}-run{index}").resolve()
            place.mkdir(parents=True, exist_ok=True)
            try:
                same.append(run_once((programs / variant["program"]).resolve(), arguments, device,
                                     manifest["directives"], place, environment, gmreport,
                                     variant["by_nvcc"]))
                check_same(same)
            except Failure as failure:
                failures.append(f"{manifest['name']} ({variant['flags']}) {arguments} on {device}: "
                                f"{failure}")
    return failures


# ---------------------------------------------------------------------------
# Packing the tests for a machine without compiler


def needed_libraries(files, present):
    """Libraries that the files need and that not every Linux has."""
    everywhere = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|"
                            r"libstdc\+\+|libcuda)[.-]")
    libraries = {}
    for file in files:
        for line in call(["ldd", file]).stdout.splitlines():
            match = re.match(r"\s*(\S+) => (/\S+)", line)
            if match and not everywhere.match(match[1]) and match[1] not in present:
                libraries[match[1]] = match[2]
    return libraries


def pack(tests, prefix, arch, cuda, objects, out):
    """Makes a folder that `python3 run.py` in it runs, and a tar file of it."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in ["bin", "lib", "tests"]:
        (out / folder).mkdir(parents=True)
    ours = [prefix / "lib/libgmprof.so", prefix / "bin/gmprof", prefix / "bin/gmreport"]
    for file in ours:
        shutil.copy(file, out / file.parent.name / file.name)
    shutil.copytree(prefix / ARCHITECTURES, out / ARCHITECTURES)
    programs = []
    for test in tests:
        manifest = build(test, prefix, arch, objects, cuda, has_helper=False)
        for variant in manifest["variants"]:
            if variant["error"]:
                print(f"{test.stem}: {variant['error']}", file=sys.stderr)
                continue
            programs.append(objects / variant["program"])
            shutil.copy(programs[-1], out / "tests")
        (out / "tests" / f"{test.stem}.json").write_text(json.dumps(manifest, indent=1))
    libraries = needed_libraries([*ours, *programs], {"libgmprof.so"})
    libraries["libcudart.so.13"] = cuda / "lib64/libcudart.so.13"
    for name, file in libraries.items():
        shutil.copy(file, out / "lib" / name)
    shutil.copy(__file__, out / "run.py")
    shutil.make_archive(str(out), "gztar", out.parent, out.name)
    megabytes = pathlib.Path(f"{out}.tar.gz").stat().st_size / 2**20
    print(f"{len(tests)} tests in {out}.tar.gz ({megabytes:.1f} MiB): on a machine with a GPU, "
          "unpack it and run python3 run.py")


def run_packed(root, device, jobs, names):
    environment = {"LD_LIBRARY_PATH": os.pathsep.join(
        [str(root / "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])}
    manifests = [json.loads(file.read_text()) for file in sorted((root / "tests").glob("*.json"))]
    if names:
        manifests = [m for m in manifests if m["name"] in names]
    work = root / "work"
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for failures in pool.map(
                lambda m: run_test(m, root / "tests", device, work, environment,
                                   root / "bin/gmreport"), manifests):
            passed, failed = passed + (not failures), failed + bool(failures)
            print(*("FAILED " + text for text in failures), sep="\n", end="\n" if failures else "",
                  flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    packed = (here / "tests").is_dir()
    if packed:
        parser.add_argument("tests", nargs="*", help="names; all by default")
        parser.add_argument("--jobs", type=int, default=4)
        parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
        o = parser.parse_args()
        return run_packed(here, o.device, o.jobs, o.tests)
    parser.add_argument("action", choices=["test", "pack"])
    parser.add_argument("tests", nargs="*", type=pathlib.Path, help="files; all by default")
    parser.add_argument("--prefix", type=pathlib.Path, required=True, help="GMProf's build tree")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--cuda", type=pathlib.Path, default="/usr/local/cuda")
    parser.add_argument("--device", choices=["gpu", "cpu"], default="cpu")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    o = parser.parse_args()
    tests = [t.resolve() for t in o.tests] or sorted(here.glob("*.cu"))
    if o.action == "pack":
        pack(tests, o.prefix.resolve(), o.arch, o.cuda, o.work / "programs", o.prefix / "gpu-tests")
        return 0
    passed = failed = 0
    for test in tests:
        try:
            manifest = build(test, o.prefix.resolve(), o.arch, o.work / "programs", o.cuda)
            failures = run_test(manifest, o.work / "programs", o.device, o.work, clone_cache(o.work),
                                o.prefix.resolve() / "bin/gmreport")
        except Failure as failure:
            failures = [f"{test.stem}: {failure}"]
        passed, failed = passed + (not failures), failed + bool(failures)
        for text in failures:
            print("FAILED", text, flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as error:
        sys.exit(f"error: {error}")
