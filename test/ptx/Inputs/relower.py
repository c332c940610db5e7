"""relower.py INSTRUMENT CLANG CUDA ARCH SOURCE FOLDER FILE…: clang's PTX of programs through LLVM IR.

Compiles each FILE of SOURCE to PTX without and with optimisation, translates that to LLVM IR, which
the verifier must accept, and back to PTX, which ptxas must accept where it is installed.
"""

import pathlib
import subprocess
import sys

instrument, clang, cuda, arch, source, folder, *files = sys.argv[1:]
ptxas = pathlib.Path(cuda, "bin", "ptxas")
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
failed = []


def succeeds(*command):
    """Whether a command succeeds; prints its messages if not."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        print(" ".join(str(word) for word in command), done.stdout, done.stderr, sep="\n")
    return done.returncode == 0


for file in files:
    for level in ("-O0", "-O2"):
        ptx = folder / f"{pathlib.Path(file).stem}{level}.ptx"
        again = ptx.with_suffix(".again.ptx")
        flags = ["-x", "cuda", "--cuda-device-only", f"--cuda-path={cuda}", f"--cuda-gpu-arch={arch}"]
        flags += ["-Wno-unknown-cuda-version", level, "-g1", "-S"]
        ok = succeeds(clang, *flags, pathlib.Path(source, file), "-o", ptx)
        ok = ok and succeeds(instrument, "relower", ptx, "-o", again)
        if ok and ptxas.exists():
            ok = succeeds(ptxas, f"-arch={arch}", again, "-o", again.with_suffix(".cubin"))
        if not ok:
            failed.append(f"{file} {level}")
print(f"{2 * len(files) - len(failed)} of {2 * len(files)} modules")
if failed:
    sys.exit("failed: " + ", ".join(failed))
