"""Behaves as a kernel of Jupyter: runs cells that it reads, and survives interrupts of them."""

import sys
import time

from programs import device

array = device.Array(256)
for cell in sys.stdin:
    try:
        if cell == "wait\n":
            print("waits", flush=True)
            while True:
                time.sleep(60)
        print(eval(cell), flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
array.release()
