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
expectations.py; accesses("kernel") lists the objects that it accesses; elements("object") is what is known of
an object's elements, variation("object", "kernel") how unevenly a kernel accesses these, and
finding("pattern", "object") a finding's evidence; heat("kernel", "object") a Heat, heat_lines of both the
accesses in the source, and heat_findings() the patterns found in heat maps; summary and coverage are those of summary.json. An object without a
name is given by its size in bytes.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import sys

import expectations
from expectations import Failure, Summary, call, check_expression

ARCHITECTURES = "share/gmprof/architectures"


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


def build(test, prefix, arch, out, cuda="/usr/local/cuda"):
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
    # Tests of many kernels count launches that a slow machine would leave out.
    base = [f"device={device}", "quiet=1", "profile=shared", "first-launch-seconds=1000"]
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
    for folder in ["bin", "lib/gmprof", "tests"]:
        (out / folder).mkdir(parents=True)
    ours = [prefix / file for file in ["lib/libgmprof.so", "bin/gmprof", "bin/gmreport",
                                       "bin/gmprof-instrument", "lib/gmprof/gmprof-symbolizer"]]
    for file in ours:
        shutil.copy(file, out / file.relative_to(prefix))
    shutil.copytree(prefix / ARCHITECTURES, out / ARCHITECTURES)
    programs = []
    for test in tests:
        manifest = build(test, prefix, arch, objects, cuda)
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
    shutil.copy(expectations.__file__, out / "expectations.py")
    shutil.make_archive(str(out), "gztar", out.parent, out.name)
    megabytes = pathlib.Path(f"{out}.tar.gz").stat().st_size / 2**20
    print(f"{len(tests)} tests in {out}.tar.gz ({megabytes:.1f} MiB): on a machine with a GPU, "
          "unpack it and run python3 run.py")


def run_packed(root, device, jobs, names):
    environment = {"LD_LIBRARY_PATH": os.pathsep.join(
        [str(root / "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]), **clone_cache(root)}
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
