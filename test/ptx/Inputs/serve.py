"""serve.py INSTRUMENT MODULE: requests to `gmprof-instrument serve`, and what it answers.

The format is that of runtime/host/instrument/CloneProtocol.h.
"""

import pathlib
import re
import struct
import subprocess
import sys

instrument, file = sys.argv[1:]
module = pathlib.Path(file).read_bytes()
HASH = ""
PTX, BITCODE, INSTRUMENTED = 0, 1, 2
STATUS = ["made", "refused", "unknown module", "failed"]

def string(data):
    """A string of a message."""
    data = data.encode() if isinstance(data, str) else data
    return struct.pack("=I", len(data)) + data


def strings(data):
    """A list of strings of a message."""
    return struct.pack("=I", len(data)) + b"".join(map(string, data))


def request(kernel, *profiles, sent=module, name=None, arch="sm_90", options=(), form=PTX):
    """A whole frame."""
    body = b"".join(map(string, [HASH if name is None else name, sent, b"", kernel]))
    body += strings(profiles) + string(arch) + strings(options) + struct.pack("=I", form)
    return b"GMQ1" + struct.pack("=I", len(body)) + body


WRAPPER = struct.pack("=I", 0x0B17C0DE)


def describe_bitcode(code):
    """What LLVM's wrapper says of the bitcode in it."""
    _, _, offset, size, _ = struct.unpack("=5I", code[:20])
    assert offset == 20 and offset + size == len(code) and code[offset:offset + 4] == b"BC\xc0\xde"
    return "bitcode in LLVM's wrapper"


def exchange(*requests):
    """Sends requests to a server of their own. Returns the answers, and the exit status."""
    done = subprocess.run([instrument, "serve"], input=b"".join(requests), capture_output=True, check=False)
    left = done.stdout
    found = []
    while left:
        magic, length, status, text_length = struct.unpack("=4sIII", left[:16])
        assert magic == b"GMA1", magic
        code = left[16:16 + text_length]
        at = 16 + text_length
        names = []
        (count,) = struct.unpack("=I", left[at:at + 4])
        at += 4
        for _ in range(count):
            (size,) = struct.unpack("=I", left[at:at + 4])
            names.append(left[at + 4:at + 4 + size].decode())
            at += 4 + size
        assert at == 8 + length, (at, length)
        found.append((status, code, names))
        left = left[at:]
    return found, done.returncode


def answers(*requests):
    """Sends requests to a server of their own, and prints the answers and the exit status."""
    found, exit_status = exchange(*requests)
    for status, code, names in found:
        text = describe_bitcode(code) if code.startswith(WRAPPER) else code.decode()
        entries = [line for line in text.splitlines() if ".entry" in line or line.startswith("bitcode")]
        print(STATUS[status] + ":", *([*entries, names] if status == 0 else [text]))
    print("exit status", exit_status)


def parts(text):
    """The strings of an instrumented kernel: its descriptor, then the name and the bitcode of each clone."""
    found = []
    at = 0
    while at < len(text):
        (size,) = struct.unpack("=I", text[at:at + 4])
        found.append(text[at + 4:at + 4 + size])
        at += 4 + size
        if len(found) == 1:
            (count,) = struct.unpack("=I", text[at:at + 4])
            at += 4
    assert len(found) == 1 + 2 * count, (len(found), count)
    return found[0], list(zip(found[1::2], found[2::2]))


def functions(ptx):
    """The functions that PTX defines, by name, without the numbers that they have in their module."""
    found = {}
    for function in re.findall(r"^(?:\.visible \.entry|\.func)[^;{]*^\{.*?^\}", ptx, re.MULTILINE | re.DOTALL):
        name = re.search(r"(\w+)\($|(\w+)$", function, re.MULTILINE)[0].rstrip("(")
        found[name] = re.sub(r"\$L__\w+|\.loc[^\n]*|(?<=local_depot)\d+|(?<=callseq )\d+", "", function)
    return found


def compare_parts(profiles):
    """Compares the clones of a kernel in one module with those that are compiled on their own."""
    (whole, instrumented), _ = exchange(request("scale", *profiles),
                                        request("scale", *profiles, sent=b"", form=INSTRUMENTED))
    together = functions(whole[1].decode())
    descriptor, clones = parts(instrumented[1])
    in_module = re.search(r"__gm_kernel_scale\[\d+\] = \{([^}]*)\}", whole[1].decode())[1]
    expected = bytes(map(int, in_module.split(","))).ljust(len(descriptor), b"\0")
    print("descriptor:", "equal" if descriptor == expected else "different")
    for name, bitcode in clones:
        ((status, code, names),), _ = exchange(request(name.decode(), sent=bitcode, name=hash_of(bitcode)))
        assert status == 0, code
        alone = functions(code.decode())
        same = all(together[function] == body for function, body in alone.items())
        print(*[function for function, body in alone.items() if ".entry" in body], names,
              "equal" if same else "different")


def hash_of(sent):
    """A module's hash, which the server says if it gets another one."""
    done = subprocess.run([instrument, "serve"], input=request("", sent=sent, name="?"), capture_output=True,
                          check=False)
    return done.stdout[:-4][-32:].decode()


HASH = hash_of(module)
print("# one module, several kernels")
answers(request("scale", "objects"), request("scale", "global", sent=b""), request("none", "objects", sent=b""),
        request("scale", "objects", sent=b"", options=["-gm-level=best"]), request("other", "objects", sent=b""),
        request("scale", "objects", sent=b"", form=BITCODE))
print("# clones on their own")
compare_parts(["objects", "shared", "heat"])
answers(request("scale", form=INSTRUMENTED))
print("# kernels among the hooks")
HOOKS = b"hooks of GMProf"
answers(request("scale", "heat"), request("__gm_heat_note", sent=HOOKS, name=hash_of(HOOKS)),
        request("__gm_heat_digest", sent=b"", name=hash_of(HOOKS)))
print("# modules and hashes")
answers(request("scale", "objects", sent=b""), request("scale", "objects", name="0" * 32))
print("# text that is no module")
TEXT = b"int main() {}"
answers(request("scale", "objects", sent=TEXT, name=hash_of(TEXT)))
print("# what LLVM cannot compile")
HEAD = b'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n'
TAIL = b"  store i32 %x, ptr addrspace(1) %p\n  ret void\n}\n"
REDUX = (HEAD + b"  %x = call i32 @llvm.nvvm.redux.sync.add(i32 %n, i32 -1)\n" + TAIL +
         b"declare i32 @llvm.nvvm.redux.sync.add(i32, i32)\n")
ASM = HEAD + b'  %x = call i32 asm "", "=r,z"(i32 %n)\n' + TAIL
answers(request("k", "cache", sent=REDUX, name=hash_of(REDUX), arch="sm_70"),
        request("k", "cache", sent=ASM, name=hash_of(ASM)), request("scale", "objects"))
print("# malformed")
answers(b"GET / HTTP/1.1\r\n\r\n")
answers(request("scale", "objects")[:-1])
answers(request("scale", "objects"), request("scale", "objects") + b"more")
answers(b"GMQ1\xff\xff\xff\xff")
answers(b"GM")
answers()
