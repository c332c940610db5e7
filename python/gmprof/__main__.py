# Part of the GMProf project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GMProf's commands: `python3 -m gmprof run …` is `gmprof run …`."""

import os
import pathlib
import sys
from typing import NoReturn


def run(command: str) -> NoReturn:
    """Replaces this process by a command of the wheel, with this process's arguments.

    `gmprof run -m MODULE` then runs this Python.
    """
    program = pathlib.Path(__file__).resolve().parent / "installation" / "bin" / command
    os.environ.setdefault("GMPROF_PYTHON", sys.executable)
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{command}: cannot run '{program}': {error.strerror}: reinstall gmprof")


if __name__ == "__main__":
    run("gmprof")
