"""Writes and reads .npy files of one dimension without NumPy: npy.py write FILE VALUE...; npy.py read FILE"""
import array
import ast
import struct
import sys


def write(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(array.array("f", values).tobytes())


def read(path):
    with open(path, "rb") as file:
        assert file.read(8) == b"\x93NUMPY\x01\x00"
        header = ast.literal_eval(file.read(struct.unpack("<H", file.read(2))[0]).decode())
        values = array.array("f", file.read())
    assert (header["descr"], header["shape"]) == ("<f4", (len(values),)), header
    return values


if sys.argv[1] == "write":
    write(sys.argv[2], [float(value) for value in sys.argv[3:]])
else:
    print(*read(sys.argv[2]))
