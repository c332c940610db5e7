# ===- sitecustomize.py - Code of Triton's kernels ---------------------------=== #
#
# Part of the GMProf project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Tells libgmprof.so which PTX Triton compiled a cubin from.

Python imports this module at its start: `gmprof run` puts its folder first in PYTHONPATH. It takes
itself out of the way, imports the sitecustomize of the installation, and waits for Triton's import.
"""

import sys


def _loading(module, function, name, metadata_group, hash):
    """Triton's hook before it loads a kernel, from a file that has the kernel's PTX beside it."""
    import ctypes
    import os

    for file, path in metadata_group.items():
        if file.endswith(".cubin"):
            try:
                ctypes.CDLL(None).gmprof_compiled_file(os.fsencode(path))
            except AttributeError:
                pass  # libgmprof.so is not loaded


class _TritonFinder:
    """Adds the hook when Triton is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "triton.knobs":
            return None
        import importlib.util

        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_add(module):
            execute(module)
            hook = getattr(getattr(module, "runtime", None), "kernel_load_start_hook", None)
            if hasattr(hook, "add"):
                hook.add(_loading)
            elif hasattr(module, "runtime"):
                module.runtime.kernel_load_start_hook = _loading

        spec.loader.exec_module = execute_and_add
        return spec


def _import_the_installations():
    import os

    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != folder]
    own = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", own)


if sys.version_info >= (3, 6):  # older ones have no Triton, and other finders
    sys.meta_path.insert(0, _TritonFinder())
_import_the_installations()
