"""clones.py INSTRUMENT CLANG CUDA ARCH SOURCE FOLDER FILE…: clones of the kernels of programs.

Compiles each FILE of SOURCE to PTX, with nvcc too where it is installed, and makes the clones of each
kernel for each profile, and for several at once. LLVM's verifier must accept these, and ptxas where
it is installed.
"""

import pathlib
import re
import subprocess
import sys

instrument, clang, cuda, arch, source, folder, *files = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
nvcc, ptxas = pathlib.Path(cuda, "bin", "nvcc"), pathlib.Path(cuda, "bin", "ptxas")
compilers = {"clang": [clang, "-x", "cuda", "--cuda-device-only", f"--cuda-path={cuda}", "-S", "-O2", "-g1",
                       f"--cuda-gpu-arch={arch}", "-Wno-unknown-cuda-version"]}
if nvcc.exists() and ptxas.exists():
    compilers["nvcc"] = [nvcc, f"-arch={arch}", "-O3", "-lineinfo", "-ptx", "-ccbin", clang,
                         "-allow-unsupported-compiler"]
failed = []


def succeeds(*command):
    """Whether a command succeeds; prints its messages if not."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        print(" ".join(str(word) for word in command), done.stdout, done.stderr, sep="\n")
    return done.returncode == 0


for file in files:
    for compiler, command in compilers.items():
        ptx = folder / f"{pathlib.Path(file).stem}.{compiler}.ptx"
        if not succeeds(*command, pathlib.Path(source, file), "-o", ptx):
            failed.append(f"{file} {compiler}")
            continue
        kernels = re.findall(r"^\s*(?:\.visible |\.weak )?\.entry ([\w$]+)", ptx.read_text(), re.M)
        for kernel in kernels:
            for profile in ("shared", "global", "objects", "heat", "cache", "heat,shared,objects"):
                clone = folder / f"{kernel}.{compiler}.{profile}.ptx"
                ok = succeeds(instrument, "clone", "--profile", profile, "--kernel", kernel, ptx, "-o", clone)
                text = clone.read_text() if ok else ""
                ok = ok and f"__gm_kernel_{kernel}[" in text and f".entry {kernel}(" not in text
                if ok and ptxas.exists():
                    ok = succeeds(ptxas, f"-arch={arch}", clone, "-o", clone.with_suffix(".cubin"))
                if not ok:
                    failed.append(f"{file} {compiler} {kernel} {profile}")
print("all clones" if not failed else "failed: " + ", ".join(failed))
sys.exit(bool(failed))
