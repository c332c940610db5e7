# Part of the GMProf project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GMProf, a profiler for GPU memory: what a Python program can tell it, and its reports.

    gmprof run -o prof -- python3 train.py      # in a shell

    with gmprof.region("epoch"):                # in the program
        weights = gmprof.name(torch.empty(1 << 20, device="cuda"), "weights")

    gmprof.report("prof").findings              # afterwards, or in a notebook

In a process that is not profiled, region and name check their arguments and do nothing else.
Nothing here loads CUDA.
"""

from gmprof._program import name, profiled, region
from gmprof._report import Finding, Report, report

__all__ = ["Finding", "Report", "name", "profiled", "region", "report"]


def __getattr__(attribute: str) -> str:
    if attribute == "__version__":
        from importlib.metadata import version

        return version("gmprof")
    raise AttributeError(f"module 'gmprof' has no attribute {attribute!r}")
