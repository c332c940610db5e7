#!/usr/bin/env python3
"""Makes the packages of a build and checks what is in them: the Debian package's
control fields, files, owners and permissions, and that the archive has the same
files and works where it is unpacked. test/package/chroot.py installs them."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "test/consumer"))
sys.dont_write_bytecode = True
import run as consumer

# On Debian 12. All but those of clang and LLVM are found by dpkg-shlibdeps.
DEPENDS = ["clang-22", "clang-tools-22", "libc6", "libgcc-s1", "libstdc++6", "libzstd1",
           "llvm-22", "zlib1g"]
ARCHITECTURES = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]
# All files but those of share/doc/gmprof.
FILES = sorted([
    *(f"bin/{name}" for name in ["gmprof", "gmprof-clang++", "gmprof-instrument", "gmreport"]),
    *(str(path.relative_to(SOURCE)) for path in (SOURCE / "include").rglob("*") if path.is_file()),
    *(f"lib/cmake/GMProf/GMProf{name}.cmake"
      for name in ["Config", "ConfigVersion", "Linker", "Toolchain"]),
    "lib/gmprof/NvccCompatibility.h",
    "lib/gmprof/cpu/libcudart.so.13",
    "lib/gmprof/gmprof-kernel",
    "lib/gmprof/gmprof-symbolizer",
    "lib/libGMPass.so",
    "lib/libgmprof.so",
    *(f"share/bash-completion/completions/{name}" for name in ["gmprof", "gmreport"]),
    *(f"share/fish/vendor_completions.d/{name}.fish" for name in ["gmprof", "gmreport"]),
    *(f"share/gmprof/architectures/{name}.json" for name in ARCHITECTURES),
    "share/gmprof/python/sitecustomize.py",
    *(f"share/man/man1/{name}.1" for name in ["gmprof", "gmreport"]),
])
# Where files search for libraries; all others only where the system does.
RUN_PATHS = {"lib/gmprof/gmprof-kernel": ["$ORIGIN/cpu"]}
DOCUMENTS = ["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "copyright",
             "docs/installing.md", "docs/summary.schema.json", "examples/jacobi/jacobi_v1.cu"]


def output(*command, cwd=None):
    return subprocess.run([str(c) for c in command], cwd=cwd, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def check_control(package, version):
    def field(name):
        return output("dpkg-deb", "--field", package, name).strip()

    assert field("Package") == "gmprof", field("Package")
    assert field("Version") == version, field("Version")
    assert field("Architecture") == output("dpkg", "--print-architecture").strip()
    depends = sorted(re.match(r"\S+", one)[0] for one in field("Depends").split(", "))
    assert depends == DEPENDS, depends
    assert field("Recommends") == "libomp-22-dev", field("Recommends")


def check_permissions(package):
    """All belongs to root and nobody else may write; only programs are executable."""
    for line in output("dpkg-deb", "--contents", package).splitlines():
        mode, owner, _, _, _, path = line.split(maxsplit=5)
        runs = path.startswith("./usr/bin/") or path.endswith(
            ("gmprof-kernel", "gmprof-symbolizer"))
        library = re.search(r"\.so(\.\d+)?$", path)
        expected = ["drwxr-xr-x"] if path.endswith("/") else ["-rwxr-xr-x"] if runs else [
            "-rw-r--r--", "-rwxr-xr-x"] if library else ["-rw-r--r--"]
        assert owner == "root/root" and mode in expected, line


def files_below(folder):
    """Those of share/doc/gmprof apart; none is a link or anything else."""
    everything = sorted(str(f.relative_to(folder)) for f in folder.rglob("*")
                        if f.is_symlink() or not f.is_dir())
    assert all((folder / f).is_file() and not (folder / f).is_symlink() for f in everything)
    documents = [f for f in everything if f.startswith("share/doc/gmprof/")]
    return [f for f in everything if f not in documents], documents


def check_tree(folder, build):
    files, documents = files_below(folder)
    assert files == FILES, set(files) ^ set(FILES)
    missing = {f"share/doc/gmprof/{d}" for d in DOCUMENTS} - set(documents)
    assert not missing, missing
    for file in files:
        content = (folder / file).read_bytes()
        assert str(build).encode() not in content, f"{file} names {build}"
        if content.startswith(b"\x7fELF"):
            sections = output("readelf", "--sections", "--wide", folder / file)
            assert ".symtab" not in sections, f"{file} has symbols"
            paths = re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]",
                               output("readelf", "--dynamic", folder / file))
            assert paths == RUN_PATHS.get(file, []), f"{file}: {paths}"


def check_changelog(version):
    newest = re.search(r"^## (\S+)", (SOURCE / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert newest == version, f"CHANGELOG.md begins with {newest}, this is {version}"


def check_spaces(o):
    """The one folder that it does not work in, as LD_PRELOAD does not; that is said."""
    o.prefix = o.prefix.rename(o.work / "any where")
    program = consumer.by_one_command(o)
    told = subprocess.run([program], text=True, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "GMPROF_OPTIONS": "device=cpu"}).stderr
    assert "cannot be loaded (its folder has a colon or a space in its name)" in told, told


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for path in ["build", "work", "clang", "cuda"]:
        parser.add_argument(f"--{path}", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    o = parser.parse_args()
    check_changelog(o.version)
    shutil.rmtree(o.work, ignore_errors=True)
    o.work.mkdir(parents=True)
    output("cpack", "--config", o.build / "CPackConfig.cmake", "-B", o.work, cwd=o.work)

    package, = o.work.glob("*.deb")
    assert re.fullmatch(rf"gmprof_{re.escape(o.version)}_\w+\.deb", package.name), package.name
    check_control(package, o.version)
    check_permissions(package)
    output("dpkg-deb", "--extract", package, o.work / "deb")
    assert [f.name for f in (o.work / "deb").iterdir()] == ["usr"]
    check_tree(o.work / "deb/usr", o.build)

    archive, = o.work.glob("*.tar.zst")
    assert archive.name.startswith(f"gmprof-{o.version}-linux-"), archive.name
    anywhere = o.work / "anywhere"
    anywhere.mkdir()
    output("cmake", "-E", "tar", "xf", archive, cwd=anywhere)
    o.prefix, = anywhere.iterdir()
    assert f"{o.prefix.name}.tar.zst" == archive.name, o.prefix
    check_tree(o.prefix, o.build)
    assert files_below(o.prefix) == files_below(o.work / "deb/usr")
    consumer.check(o, consumer.by_one_command(o))
    check_spaces(o)


if __name__ == "__main__":
    main()
