# ===- sitecustomize.py - Code of Triton's and CuPy's kernels ------------------=== #
#
# Part of the GMProf project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Tells libgmprof.so which code Triton and CuPy compiled a cubin from.

Python imports this module at its start: `gmprof run` puts its folder first in PYTHONPATH. It takes
itself out of the way, imports the sitecustomize of the installation, and waits for the imports of
Triton and CuPy.
"""

import sys


def _tell(function, *arguments):
    """Calls a function of libgmprof.so, if that is loaded."""
    import ctypes

    try:
        getattr(ctypes.CDLL(None), function)(*arguments)
    except AttributeError:
        pass


def _loading(module, function, name, metadata_group, hash):
    """Triton's hook before it loads a kernel, from a file that has the kernel's PTX beside it."""
    import os

    for file, path in metadata_group.items():
        if file.endswith(".cubin"):
            _tell("gmprof_compiled_file", os.fsencode(path))


def _add_to_triton(knobs):
    hook = getattr(getattr(knobs, "runtime", None), "kernel_load_start_hook", None)
    if hasattr(hook, "add"):
        hook.add(_loading)
    elif hasattr(knobs, "runtime"):
        knobs.runtime.kernel_load_start_hook = _loading


def _place_of(source):
    """Returns the file and the line of source text, and True, if it is in the file of a function that
    is running; else those of the call that needs it, and False."""
    import linecache

    call = None
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if frame.f_globals is not globals() and package not in ("cupy", "cupyx"):
            call = call or (file, frame.f_lineno, False)
            text = "".join(linecache.getlines(file, frame.f_globals))
            at = text.find(source)
            if at >= 0 and text.find(source, at + 1) < 0:
                return file, text.count("\n", 0, at) + 1, True
        frame = frame.f_back
    return call


def _add_places_to_cupy(compiler):
    """Tells where the source of a module is while CuPy compiles it, or reads it from its cache."""
    compile = getattr(compiler, "_compile_with_cache_cuda", None)
    if compile is None:
        return

    def compile_at_place(source, *others, **named):
        import ctypes
        import os

        place = _place_of(source) if isinstance(source, str) and "\n" in source else None
        if place is None:
            return compile(source, *others, **named)
        _tell("gmprof_source_place", os.fsencode(place[0]), ctypes.c_uint(place[1]), ctypes.c_int(place[2]))
        try:
            return compile(source, *others, **named)
        finally:
            _tell("gmprof_source_place", None, ctypes.c_uint(0), ctypes.c_int(0))

    compiler._compile_with_cache_cuda = compile_at_place


def _add_to_cupy(compiler):
    """Has NVRTC add lines, which do not change machine code, and tells the source. CuPy's own
    kernels have _raw_x where the program's source names the parameter x."""
    _add_places_to_cupy(compiler)
    program = getattr(compiler, "_NVRTCProgram", None)
    compile = getattr(program, "compile", None)
    if compile is None:
        return

    def compile_with_lines(self, options=(), *others, **named):
        import ctypes

        if not any(o.startswith(("-lineinfo", "--generate-line-info", "-G", "--device-debug", "-dlto"))
                   for o in options):
            options = tuple(options) + ("-lineinfo",)
        result = compile(self, options, *others, **named)
        code = result[0] if isinstance(result, tuple) else result
        source = getattr(self, "src", None)
        if isinstance(code, str):
            code = code.encode()
        if isinstance(code, bytes) and isinstance(source, str):
            # CuPy cuts the last byte off a cubin, a null character, which ends these bytes, too.
            _tell("gmprof_compiled_source", code, ctypes.c_size_t(len(code) + 1),
                  source.replace("_raw_", "").encode())
        return result

    program.compile = compile_with_lines


class _Finder:
    """Adds the hooks when the modules that take them are imported."""

    hooks = {"triton.knobs": _add_to_triton, "cupy.cuda.compiler": _add_to_cupy}

    def find_spec(self, name, path=None, target=None):
        hook = self.hooks.pop(name, None)
        if hook is None:
            return None
        import importlib.util

        spec = importlib.util.find_spec(name)  # by the other finders
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_add(module):
            execute(module)
            hook(module)

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


if sys.version_info >= (3, 6):  # older ones have other finders
    sys.meta_path.insert(0, _Finder())
_import_the_installations()
