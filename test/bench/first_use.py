#!/usr/bin/env python3
"""first_use.py INSTRUMENT FILE.ptx…: processor time until the clones of each kernel can run.

Asks `gmprof-instrument serve` for the clones as the recorder does: first for the instrumented kernel,
then for the code of each clone, which ptxas compiles. Prints the processor time in ms, the mean of several
runs, and the clone's registers.
"""

import argparse
import os
import pathlib
import re
import resource
import struct
import subprocess
import tempfile

MADE, UNKNOWN_MODULE = 0, 2
PTX, INSTRUMENTED = 0, 2


def string(data):
    """A string of a message."""
    return struct.pack("=I", len(data)) + data


class Server:
    """A process of gmprof-instrument, see runtime/host/instrument/CloneProtocol.h."""

    def __init__(self, program, arch):
        self.process = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.arch = arch
        self.hashes = {}

    def spent(self):
        """The processor time, in ms, of the processes that worked on requests."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[13:15])) * 1e3 / os.sysconf("SC_CLK_TCK")

    def ask(self, module, kernel, profiles, form):
        """Returns the answer's text."""
        names = struct.pack("=I", len(profiles)) + b"".join(string(p.encode()) for p in profiles)
        body = string(self.hashes.get(module, b"?")) + string(module) + string(b"")  # no machine code
        body += string(kernel.encode()) + names
        body += string(self.arch.encode()) + struct.pack("=II", 0, form)
        self.process.stdin.write(b"GMQ1" + string(body))
        self.process.stdin.flush()
        _, length = struct.unpack("=4sI", self.process.stdout.read(8))
        answer = self.process.stdout.read(length)
        status, size = struct.unpack("=II", answer[:8])
        text = answer[8:8 + size]
        if status == UNKNOWN_MODULE:  # it says the hash
            self.hashes[module] = text.split()[-1]
            return self.ask(module, kernel, profiles, form)
        if status != MADE:
            raise SystemExit(f"{kernel}: {text.decode()}")
        return text

    def repeat(self, runs, *request):
        """Returns the answer's text and the mean time in ms."""
        before = self.spent()
        for _ in range(runs):
            text = self.ask(*request)
        return text, (self.spent() - before) / runs


def clones_of(text):
    """Names and bitcode of an instrumented kernel's clones."""
    parts = []
    at = 8 + struct.unpack("=I", text[:4])[0]  # behind the descriptor and the number of clones
    while at < len(text):
        (size,) = struct.unpack("=I", text[at:at + 4])
        parts.append(text[at + 4:at + 4 + size])
        at += 4 + size
    return zip(parts[::2], parts[1::2])


def assemble(runs, ptx, folder):
    """Returns the mean processor time of ptxas in ms, and the registers."""
    file = folder / "clone.ptx"
    file.write_bytes(ptx)
    arch = re.search(rb"\.target (\w+)", ptx)[1].decode()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        done = subprocess.run(["ptxas", "-v", "-arch=" + arch, file, "-o", folder / "clone.cubin"], check=True,
                              capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1e3 / runs, max(map(int, re.findall(r"Used (\d+) registers", done.stderr)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instrument")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--profiles", default="objects,shared,heat", help="separated by commas (%(default)s)")
    parser.add_argument("--arch", default="sm_90", help="(%(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="(%(default)s)")
    options = parser.parse_args()
    server = Server(options.instrument, options.arch)
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files:
            module = file.read_bytes()
            for kernel in re.findall(r"\.entry\s+([\w$]+)", module.decode()):
                profiles = options.profiles.split(",")
                text, spent = server.repeat(options.runs, module, kernel, profiles, INSTRUMENTED)
                print(f"{file.stem} {kernel}: instrumented {spent:.0f} ms", flush=True)
                for name, bitcode in clones_of(text):
                    ptx, spent = server.repeat(options.runs, bitcode, name.decode(), [], PTX)
                    ptxas, registers = assemble(options.runs, ptx, pathlib.Path(folder))
                    print(f"  {name.decode().split('__gm_')[-1]:10} code {spent:4.0f} ms, ptxas {ptxas:4.0f} ms, "
                          f"{registers} registers", flush=True)


if __name__ == "__main__":
    main()
