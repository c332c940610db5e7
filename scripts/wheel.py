#!/usr/bin/env python3
"""Makes the wheel of a build: a package that pip installs, with GMProf's programs and its Python
module (docs/python.md). The same build gives the same bytes; SOURCE_DATE_EPOCH is the time of the
files in it.

The wheel is tagged manylinux_2_N for the newest version of glibc that its programs need. If they
need another library of the system too, it is tagged linux, and the script says why."""

import argparse
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
INSTALLATION = "gmprof/installation"
COMMANDS = ["gmprof", "gmprof-clang++", "gmprof-instrument", "gmreport"]
# Folders of an installed tree that the wheel leaves out: pip installs no manuals or completions.
LEFT_OUT = ("share/doc/", "share/man/", "share/bash-completion/", "share/fish/")

# Libraries that each Linux with glibc has (PEP 600), and the newest symbols of libstdc++ in the
# oldest of these systems, Debian 12.
SYSTEM_LIBRARIES = {"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6",
                    "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libz.so.1"}
LIMITS = {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
LEAST_GLIBC = 36

SCRIPT = """#!python
from gmprof.__main__ import run

run("{command}")
"""

METADATA = """Metadata-Version: 2.1
Name: gmprof
Version: {version}
Summary: A profiler for GPU memory
License: Apache-2.0 WITH LLVM-exception
Keywords: CUDA,GPU,profiler,memory
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Software Development :: Debuggers
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

GMProf finds wasted GPU memory, uncoalesced accesses, bank conflicts, poor use of caches, redundant
synchronization and redundant transfers in CUDA programs of Python and C++, and names the variable,
the line and the fix:

    gmprof run -o prof -- python3 train.py

`gmprof doctor` says what works on this machine.
"""


def elf_needs(file):
    """Returns the libraries that an ELF file needs, and the newest version of each kind of
    symbols: ({"libc.so.6"}, {"GLIBC": (2, 36)}); None: it is no ELF file."""
    with open(file, "rb") as stream:
        if stream.read(4) != b"\x7fELF":
            return None
    text = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", file], check=True,
                          stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
    versions = {}
    needs = text.partition("Version needs section")[2]
    for kind, version in re.findall(r"Name: ([A-Z]+)_([0-9.]+)", needs):
        numbers = tuple(int(n) for n in version.split("."))
        versions[kind] = max(versions.get(kind, ()), numbers)
    return libraries, versions


def platform_tag(folder, machine=platform.machine()):
    """Returns the wheel's platform and the reasons why it is not a manylinux one."""
    own = {file.name for file in folder.rglob("*")}
    glibc, reasons = (2, LEAST_GLIBC), []
    for file in sorted(f for f in folder.rglob("*") if f.is_file()):
        needs = elf_needs(file)
        if not needs:
            continue
        libraries, versions = needs
        name = file.relative_to(folder)
        reasons += [f"{name} needs {each}" for each in sorted(libraries - SYSTEM_LIBRARIES - own)]
        glibc = max(glibc, versions.get("GLIBC", ()))
        reasons += [f"{name} needs {kind}_{'.'.join(map(str, versions[kind]))}"
                    for kind, most in sorted(LIMITS.items()) if versions.get(kind, ()) > most]
    if reasons:
        return f"linux_{machine}", reasons
    return f"manylinux_{glibc[0]}_{glibc[1]}_{machine}", []


def install(build, folder):
    """Installs the build's programs into the folder, stripped, with the libgmprof.so that needs no
    library of the system."""
    with tempfile.TemporaryDirectory() as whole:
        subprocess.run(["cmake", "--install", build, "--prefix", whole, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        for file in sorted(pathlib.Path(whole).rglob("*")):
            name = str(file.relative_to(whole))
            if file.is_file() and not name.startswith(LEFT_OUT):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(file, folder / name)
    strip = shutil.which("strip") or shutil.which("llvm-strip-22")
    library = folder / "lib/libgmprof.so"
    subprocess.run([strip, "-o", library, build / "wheel/lib/libgmprof.so"], check=True)


def write(folder, wheel, level=6):
    """Writes the files of a folder as a wheel, with their record; RECORD is the last of them."""
    since = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
    date = max(time.gmtime(since)[:6], (1980, 1, 1, 0, 0, 0))  # a zip file has nothing earlier
    record_name = next(folder.glob("*.dist-info")).name + "/RECORD"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        def add(name, content, mode):
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3  # Unix
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)

        files = {str(f.relative_to(folder)): f for f in folder.rglob("*") if f.is_file()}
        # Metadata goes last, where installers look for it first.
        for name in sorted(files, key=lambda n: (".dist-info/" in n, n)):
            content = files[name].read_bytes()
            runs = content.startswith((b"\x7fELF", b"#!"))
            add(name, content, 0o755 if runs else 0o644)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{name},sha256={digest.decode()},{len(content)}\n")
        add(record_name, "".join([*record, f"{record_name},,\n"]), 0o644)


def version_of(build):
    cache = (build / "CMakeCache.txt").read_text()
    return re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", cache, re.MULTILINE)[1]


def make(build, to):
    """Makes the wheel in a folder and returns its path."""
    version = version_of(build)
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=to) as name:
        folder = pathlib.Path(name)
        for file in sorted((SOURCE / "python/gmprof").iterdir()):
            if file.is_file():
                (folder / "gmprof").mkdir(exist_ok=True)
                shutil.copyfile(file, folder / "gmprof" / file.name)
        install(build, folder / INSTALLATION)
        data = folder / f"gmprof-{version}.data"
        kernel = data / "data/share/jupyter/kernels/gmprof/kernel.json"
        kernel.parent.mkdir(parents=True)
        shutil.copyfile(SOURCE / "python/kernel.json", kernel)
        scripts = data / "scripts"
        scripts.mkdir()
        for command in COMMANDS:
            (scripts / command).write_text(SCRIPT.format(command=command))
        tag, reasons = platform_tag(folder)
        info = folder / f"gmprof-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(METADATA.format(version=version))
        (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: gmprof\n"
                                    f"Root-Is-Purelib: false\nTag: py3-none-{tag}\n")
        shutil.copyfile(SOURCE / "LICENSE", info / "LICENSE")
        shutil.copyfile(SOURCE / "cmake/copyright", info / "copyright")
        wheel = to / f"gmprof-{version}-py3-none-{tag}.whl"
        write(folder, wheel)
    for reason in reasons:
        print(f"wheel.py: not a manylinux wheel: {reason}", file=sys.stderr)
    return wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=None,
                        help="folder of the wheel (BUILD/packages)")
    o = parser.parse_args()
    wheel = make(o.build, o.output or o.build / "packages")
    print(f"{wheel} ({wheel.stat().st_size / (1 << 20):.1f} MiB)")


if __name__ == "__main__":
    main()
