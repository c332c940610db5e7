"""The summary as the expressions of the end-to-end tests see it (runner.py)."""

import ast
import csv
import json
import os
import pathlib
import re
import subprocess
import types

HEAT_PATTERNS = ["uncoalesced_access", "hot_spot", "false_sharing", "misaligned_access", "strided_access",
                 "shared_memory_abuse", "bank_conflict", "local_memory", "serialized_constant_load"]
SECONDS = 300  # for one program; a hang must not stop the tests
ELEMENT_PATTERNS = ["overallocation", "nonuniform_access_frequency", "structured_access"]


class Failure(Exception):
    """Why a test failed."""


def call(command, environment=None, **kwargs):
    try:
        return subprocess.run([str(c) for c in command], env={**os.environ, **(environment or {})},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=SECONDS, **kwargs)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{command[0]} did not end in {SECONDS} s") from error
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}") from error


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
