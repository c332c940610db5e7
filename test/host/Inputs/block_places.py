#!/usr/bin/env python3
"""block_places.py FROM TO SM: prints the SM of each block in a file of placements, and writes the same blocks on this SM."""
import struct
import sys

HEAD = struct.Struct("<Q3I3IQQ")  # number, grid, block, blocks, bytes of the name
BLOCK = struct.Struct("<QQQ")  # begin, end, SM

with open(sys.argv[1], "rb") as file:
    data = file.read()
at, moved = 0, b""
while at < len(data):
    *shape, blocks, name_bytes = HEAD.unpack_from(data, at)
    begin = at + HEAD.size + name_bytes
    at = begin + blocks * BLOCK.size
    found = [BLOCK.unpack_from(data, begin + i * BLOCK.size) for i in range(blocks)]
    print(data[begin - name_bytes:begin].decode(), *shape, "on SMs", *(sm for _, _, sm in found))
    assert all(0 < first <= last for first, last, _ in found), found
    moved += data[begin - name_bytes - HEAD.size:begin] + b"".join(BLOCK.pack(first, last, int(sys.argv[3])) for first, last, _ in found)
with open(sys.argv[2], "wb") as file:
    file.write(moved)
