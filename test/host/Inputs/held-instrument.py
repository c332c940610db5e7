"""held-instrument.py INSTRUMENT: a proxy of `gmprof-instrument serve` that answers when told.

For kernels beyond k0 to k7, it writes their names to the FIFO "asked", and waits for a line of the
FIFO "answers". The format is that of runtime/host/instrument/CloneProtocol.h.
"""

import struct
import subprocess
import sys

HEADER = 8


def frame(stream):
    """The next message of a stream; empty at its end."""
    header = stream.read(HEADER)
    return header + stream.read(struct.unpack("=I", header[4:])[0]) if len(header) == HEADER else b""


def kernel_of(request):
    """The kernel that is asked for: the fourth string of a request."""
    at = HEADER
    for _ in range(3):
        at += 4 + struct.unpack("=I", request[at:at + 4])[0]
    size, = struct.unpack("=I", request[at:at + 4])
    return request[at + 4:at + 4 + size].decode()


with subprocess.Popen([sys.argv[1], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:
    while message := frame(sys.stdin.buffer):
        if not (name := kernel_of(message)).startswith(("k", "__gm")):
            with open("asked", "w", encoding="utf-8") as asked:
                print(name, file=asked, flush=True)
            with open("answers", "rb", buffering=0) as answers:
                answers.read(1)
        helper.stdin.write(message)
        helper.stdin.flush()
        sys.stdout.buffer.write(frame(helper.stdout))
        sys.stdout.buffer.flush()
    helper.stdin.close()
