"""record.py SECTION BITCODE: the section is a record of the bitcode (abi.h),
behind a fat binary if it begins with one."""
import struct
import sys

section = open(sys.argv[1], "rb").read()
bitcode = open(sys.argv[2], "rb").read()
begin = 0
if struct.unpack_from("<I", section)[0] == 0xBA55ED50:
    begin = (16 + struct.unpack_from("<Q", section, 8)[0] + 7) & ~7
magic, size = struct.unpack_from("<QQ", section, begin)
assert magic == 0x3143424D47, hex(magic)
assert section[begin + 16 : begin + 16 + size] == bitcode, "another bitcode"
assert len(section) == (begin + 16 + size + 7) & ~7, "something behind the record"
