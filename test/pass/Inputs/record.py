"""record.py check SECTION FILE: the section holds the records (abi.h) of the file, compressed, behind a fat
binary if it begins with one.
record.py bitcode FILE ARCHITECTURE OUT: writes the bitcode of an architecture."""
import struct
import sys

MAGIC = 0x3243424D47
ZSTD = b"\x28\xb5\x2f\xfd"


def records(data):
    """Architectures and contents, which must fill the data."""
    found, begin = [], 0
    while begin < len(data):
        magic, size, architecture = struct.unpack_from("<QQQ", data, begin)
        assert magic == MAGIC, hex(magic)
        found.append((architecture, data[begin + 24 : begin + 24 + size]))
        begin = (begin + 24 + size + 7) & ~7
    assert begin == len(data), "a record is cut off"
    return found


def check(section, file):
    begin = 0
    if struct.unpack_from("<I", section)[0] == 0xBA55ED50:
        begin = (16 + struct.unpack_from("<Q", section, 8)[0] + 7) & ~7
    inside, outside = records(section[begin:]), records(file)
    assert [a for a, _ in inside] == [a for a, _ in outside], "other architectures"
    for (_, compressed), (_, bitcode) in zip(inside, outside):
        assert compressed.startswith(ZSTD) and len(compressed) < len(bitcode), "not compressed"


def read(name):
    with open(name, "rb") as file:
        return file.read()


if sys.argv[1] == "check":
    check(read(sys.argv[2]), read(sys.argv[3]))
else:
    found = [bitcode for architecture, bitcode in records(read(sys.argv[2])) if architecture == int(sys.argv[3])]
    assert len(found) == 1, f"{len(found)} records"
    with open(sys.argv[4], "wb") as out:
        out.write(found[0])
