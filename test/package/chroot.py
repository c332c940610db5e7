#!/usr/bin/env python3
"""Installs the packages in a clean Debian 12 as a user would, and compiles, runs and
reports examples there, on the CPU device. By hand, as root:

    cpack --config build/CPackConfig.cmake -B build/packages
    test/package/chroot.py --packages build/packages --work /var/tmp/gmprof-chroot

Needs debootstrap and Debian's archive. The CUDA toolkit, which is not in Debian, is
mounted. Everything is mounted in a namespace of its own, so that nothing is left but
the folder; the system that debootstrap made is in WORK/base, for the next time."""

import argparse
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SECURITY = "http://deb.debian.org/debian-security"


def call(*command, check=True, **options):
    """What it printed; ends the test if it fails."""
    print("$", *command, flush=True)
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)
    if check and done.returncode != 0:
        sys.exit(f"{done.stdout}exit status {done.returncode}")
    return done.stdout


class Chroot:
    def __init__(self, o):
        base = o.work / "base"
        self.root = o.work / "root"
        if not (base / "var/lib/apt/lists").exists():
            call("debootstrap", "--variant=minbase", "bookworm", base, o.mirror)
        shutil.rmtree(self.root, ignore_errors=True)
        call("cp", "-a", "--reflink=auto", base, self.root)
        (self.root / "etc/apt/sources.list").write_text(
            f"deb {o.mirror} bookworm main\ndeb {SECURITY} bookworm-security main\n")
        for folder, inside in [(o.cuda.resolve(), "usr/local/cuda"), (o.packages, "mnt/packages"),
                               (SOURCE / "test/consumer", "mnt/consumer")]:
            (self.root / inside).mkdir(parents=True)
            call("mount", "--bind", folder, self.root / inside)
            call("mount", "-o", "remount,ro,bind", self.root / inside)
        call("mount", "-t", "proc", "proc", self.root / "proc")
        self.run("apt-get", "update")
        self.run("useradd", "--create-home", "user")

    def run(self, *command, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
                       "LC_ALL": "C.UTF-8"}
        return call("chroot", self.root, *command, env=environment, **options)

    def install(self, *packages):
        self.run("apt-get", "install", "--yes", "--no-install-recommends", *packages)

    def shell(self, script, **options):
        """As an ordinary user, in their home."""
        return self.run("su", "user", "-c", f"cd && {script}", **options)


def check_example(system, path, examples):
    """examples/jacobi as in README.md: compiled, profiled in two ways, reported."""
    path = f"PATH={path}:$PATH"
    print(system.shell(f"{path} gmprof doctor"))
    system.shell(f"{path} gmprof-clang++ -O2 -g {examples}/jacobi/jacobi_v1.cu -o jacobi")
    ran = system.shell(f"{path} gmprof run --profile shared -o shared -- ./jacobi")
    assert "jacobi v1: 10 sweeps over 256 x 256 points, sum 60187.2: PASSED\n" in ran, ran
    assert "10 of 10 launches analysed" in ran, ran
    system.shell(f"{path} gmprof run --profile cache -o cache -- ./jacobi")
    print(system.shell(f"{path} gmreport shared"))
    system.shell(f"{path} gmreport html shared -o page.html")
    home = system.root / "home/user"
    summary = json.loads((home / "shared/summary.json").read_text())
    assert [f["pattern"] for f in summary["findings"]] == ["no_reuse_in_live_range"]
    assert summary["objects"][0]["alloc"]["source"]["line"] == 51, "no symbols"
    assert json.loads((home / "cache/summary.json").read_text())["cache"]["kernels"]
    assert (home / "page.html").read_bytes().lower().startswith(b"<!doctype html")


def check_package(system):
    package = next(iter((system.root / "mnt/packages").glob("*.deb"))).name
    system.install(f"/mnt/packages/{package}")
    check_example(system, "/usr/bin", "/usr/share/doc/gmprof/examples")
    # The user's own projects find it without being told where it is.
    system.install("g++", "cmake", "ninja-build", "python3")
    for way in ["find_package", "toolchain", "toolchain_rdc"]:
        system.shell(f"python3 /mnt/consumer/run.py {way} --build /usr --work ~/{way} "
                     "--clang /usr/lib/llvm-22/bin/clang++ --cuda /usr/local/cuda")
    system.run("apt-get", "remove", "--yes", "gmprof")
    left = [f for f in (system.root / "usr").rglob("*gmprof*") if "share/doc" not in str(f)]
    assert not left, left


def check_archive(system):
    """Clang and the libraries are there from before."""
    archive = next(iter((system.root / "mnt/packages").glob("*.tar.zst"))).name
    folder = f"/home/user/tools/{archive.removesuffix('.tar.zst')}"
    system.install("zstd")
    system.shell(f"mkdir tools && tar -C tools -xf /mnt/packages/{archive}")
    check_example(system, f"{folder}/bin", f"{folder}/share/doc/gmprof/examples")
    for package, error in [
            ("llvm-22", "has no llvm-offload-binary: install Debian's llvm-22"),
            ("clang-tools-22", "has no clang-linker-wrapper: install Debian's clang-tools-22"),
            ("clang-22", "no clang++ 22 found: install Debian's clang-22, or set GMPROF_CLANG to it")]:
        system.run("apt-get", "remove", "--yes", package)
        told = system.shell(f"{folder}/bin/gmprof-clang++ a.cu", check=False)
        assert error in told, told
    # The compiled program runs without the toolkit.
    system.shell(f"{folder}/bin/gmprof run -o again -- ./jacobi")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--cuda", type=pathlib.Path,
                        default=os.environ.get("CUDA_PATH", "/usr/local/cuda"))
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    o = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("chroot.py: debootstrap and mount need root")
    clone_newns = 0x20000
    if ctypes.CDLL(None, use_errno=True).unshare(clone_newns) != 0:
        sys.exit(f"chroot.py: unshare: {os.strerror(ctypes.get_errno())}")
    call("mount", "--make-rprivate", "/")
    o.work = o.work.resolve()
    o.work.mkdir(parents=True, exist_ok=True)
    system = Chroot(o)
    check_package(system)
    check_archive(system)
    print("passed: installed, used and removed as a package, and used as an archive")


if __name__ == "__main__":
    main()
