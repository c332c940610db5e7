#!/usr/bin/env python3
"""Builds the sample project with GMProf in one of the ways that users do, runs
it on the CPU device, and checks its output and the counts in its summary."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent
SOURCES = ["main.cu", "rows.cu", "host.cpp"]


# Many users have a PATH without the toolkit's programs.
PATH = ":".join(p for p in os.environ["PATH"].split(":") if "cuda" not in p)


def call(*command, cwd, **variables):
    print("$", *command, flush=True)
    # CMake first tries clang with an architecture that CUDA 13 lacks. clang treats this as a crash
    # and writes files to reproduce it, which the folder must contain.
    environment = {**os.environ, "PATH": PATH, "TMPDIR": str(cwd), **variables}
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout, end="", flush=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}")
    return done.stdout


def by_hand(o):
    """clang++ with the bare plugin. -gm-bitcode is what the CPU device runs."""
    flags = [f"--cuda-path={o.cuda}", "--cuda-gpu-arch=sm_90", "-Wno-unknown-cuda-version", "-O2",
             f"-fpass-plugin={o.prefix}/lib/libGMPass.so"]
    objects = []
    for source in SOURCES:
        objects.append(pathlib.Path(source).with_suffix(".o"))
        extra = ["-mllvm", f"-gm-bitcode={source}.bc"] if source.endswith(".cu") else []
        use = flags + extra if extra else ["-I", f"{o.cuda}/include", "-O2"]
        call(o.clang, *use, "-c", SOURCE / source, "-o", objects[-1], cwd=o.work)
    call(o.clang, *objects, "-o", "consumer", f"-L{o.prefix}/lib", "-lgmprof",
         f"-Wl,-rpath,{o.prefix}/lib", f"-L{o.cuda}/lib64", "-lcudart",
         f"-Wl,-rpath,{o.cuda}/lib64", cwd=o.work)
    return o.work / "consumer"


def by_make(o):
    """A makefile made for nvcc, with the wrapper in its place."""
    for file in [*SOURCES, "rows.h", "Makefile"]:
        shutil.copy(SOURCE / file, o.work)
    call("make", f"NVCC={o.prefix}/bin/gmprof-clang++", cwd=o.work)
    return o.work / "consumer"


def by_one_command(o):
    call(o.prefix / "bin/gmprof-clang++", "-O2", *(SOURCE / s for s in SOURCES), "-o", "consumer",
         cwd=o.work)
    return o.work / "consumer"


def by_cmake(o, *definitions):
    call("cmake", "-G", "Ninja", "-S", SOURCE, "-B", o.work / "build",
         f"-DCUDAToolkit_ROOT={o.cuda}", *definitions, cwd=o.work)
    call("cmake", "--build", o.work / "build", cwd=o.work)
    return o.work / "build/consumer"


def by_toolchain(o, *definitions):
    file = o.prefix / "lib/cmake/GMProf/GMProfToolchain.cmake"
    return by_cmake(o, f"-DCMAKE_TOOLCHAIN_FILE={file}", *definitions)


def by_toolchain_rdc(o):
    return by_toolchain(o, "-DCMAKE_CUDA_SEPARABLE_COMPILATION=ON")


def by_find_package(o):
    return by_cmake(o, f"-DCMAKE_PREFIX_PATH={o.prefix}", "-DINSTRUMENT=ON",
                    f"-DCMAKE_CUDA_COMPILER={o.clang}", "-DCMAKE_CUDA_ARCHITECTURES=90",
                    "-DCMAKE_CUDA_COMPILER_ID_TEST_FLAGS_FIRST="
                    f"--cuda-path={o.cuda};--cuda-gpu-arch=sm_90")


def by_find_package_nvcc(o):
    return by_cmake(o, f"-DCMAKE_PREFIX_PATH={o.prefix}", "-DINSTRUMENT=ON",
                    f"-DCMAKE_CUDA_COMPILER={o.cuda}/bin/nvcc", "-DCMAKE_CUDA_ARCHITECTURES=90")


def by_installed(o):
    """The installed tree, after it was moved."""
    first, o.prefix = o.work / "first", o.work / "moved"
    call("cmake", "--install", o.build, "--prefix", first, cwd=o.work)
    first.rename(o.prefix)
    for name in ["hand", "find_package"]:
        (o.work / name).mkdir()
    nested = argparse.Namespace(**{**vars(o), "work": o.work / "hand"})
    check(nested, by_hand(nested))
    nested.work = o.work / "find_package"
    check(nested, by_find_package(nested))
    return by_toolchain(o)


def check(o, program):
    plain = call(program, cwd=o.work, GMPROF_OPTIONS="profile=off:device=cpu:quiet=1")
    assert plain == "total 32640\n", plain  # 0 + 1 + … + 255
    call(o.prefix / "bin/gmprof", "run", "--device", "cpu", "-o", "prof", "--", program, cwd=o.work)
    call(o.prefix / "bin/gmreport", "prof/summary.json", cwd=o.work)
    summary = json.loads((o.work / "prof/summary.json").read_text())
    names = [kernel["demangled"] for kernel in summary["kernels"]]
    assert any("sumRowsKernel" in name for name in names), names
    assert summary["run"]["exit_status"] == 0, summary["run"]


WAYS = {
    "hand": by_hand,
    "make": by_make,
    "one_command": by_one_command,
    "toolchain": by_toolchain,
    "toolchain_rdc": by_toolchain_rdc,
    "find_package": by_find_package,
    "find_package_nvcc": by_find_package_nvcc,
    "installed": by_installed,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=WAYS)
    for path in ["build", "work", "clang", "cuda"]:
        parser.add_argument(f"--{path}", type=pathlib.Path, required=True)
    o = parser.parse_args()
    o.prefix = o.build
    shutil.rmtree(o.work, ignore_errors=True)
    o.work.mkdir(parents=True)
    check(o, WAYS[o.way](o))


if __name__ == "__main__":
    main()
