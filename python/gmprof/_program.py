# Part of the GMProf project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program tells GMProf: the functions of include/gmprof/gmprof.h that Python programs need.

libgmprof.so is in the process if `gmprof run` started it. It is looked for at the first call.
"""

import functools
import inspect
from typing import Any, Callable, Optional, TypeVar

T = TypeVar("T")

_USER_API_VERSION = 1  # GMPROF_USER_API_VERSION


class _Functions:
    """Some members of the table that libgmprof.so exports, gmprof_user_functions."""

    def __init__(self, table: Any) -> None:
        from ctypes import CFUNCTYPE, c_char_p, c_void_p

        # These give up the interpreter's lock: libgmprof.so has locks of its own.
        self.name = CFUNCTYPE(None, c_void_p, c_char_p)(table[4])
        self.push_region = CFUNCTYPE(None, c_char_p)(table[5])
        self.pop_region = CFUNCTYPE(None)(table[6])


@functools.lru_cache(maxsize=None)
def _functions() -> Optional[_Functions]:
    """Returns the functions of libgmprof.so; None: it is not loaded, or is of another version."""
    from ctypes import CDLL, POINTER, c_uint, c_void_p

    try:
        find = CDLL(None).gmprof_user_api
    except AttributeError:
        return None
    find.argtypes = [c_uint]
    find.restype = POINTER(c_void_p)
    table = find(_USER_API_VERSION)
    return _Functions(table) if table else None


def profiled() -> bool:
    """Returns whether libgmprof.so is in this process, so that names and regions are recorded."""
    return _functions() is not None


def _text(text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"a name is a str, not {type(text).__name__}")
    if not text or "\0" in text:
        raise ValueError("a name has at least one character, and no null character")
    return text.encode(errors="replace")


def _address(memory: Any) -> int:
    """Returns the device address of a tensor, an array or an integer; 0: it has no memory."""
    if isinstance(memory, int) and not isinstance(memory, bool):
        address = memory
        if not 0 < address < 1 << 64:
            raise ValueError(f"{address:#x} is not a device address")
        return address
    if callable(getattr(memory, "data_ptr", None)):
        return int(memory.data_ptr())
    interface = getattr(memory, "__cuda_array_interface__", None)
    if interface is not None:
        return int(interface["data"][0] or 0)
    raise TypeError(
        f"{type(memory).__name__} is not device memory: pass a tensor (data_ptr), an array "
        "(__cuda_array_interface__) or an address (int)"
    )


def name(memory: T, text: str) -> T:
    """Names the allocation that a tensor, an array or an address is in, and returns `memory`.

    memory: has data_ptr() (PyTorch) or __cuda_array_interface__ (CuPy, Numba), or is the address
    of device memory. A part of an allocation names the whole allocation; a tensor of PyTorch, its
    block in PyTorch's slab. An empty tensor has no memory, so nothing is named.

    Raises TypeError if memory is something else or text no str, and ValueError for an empty text
    and for an address that no memory can have, whether or not the process is profiled.
    """
    label = _text(text)
    address = _address(memory)
    functions = _functions()
    if functions and address:
        functions.name(address, label)
    return memory


class region:
    """A named part of the program: `with region("epoch"):`, or `@region("epoch")` above a function.

    Timelines (`gmreport perfetto`, `gmreport explore`) label what the calling thread does in it.
    Regions nest.

    Raises TypeError if the name is no str, and ValueError if it is empty. Coroutines and generators
    cannot be decorated (TypeError): their thread does other work before they end.
    """

    __slots__ = ("_label",)

    def __init__(self, text: str) -> None:
        self._label = _text(text)

    def __enter__(self) -> None:
        functions = _functions()
        if functions:
            functions.push_region(self._label)

    def __exit__(self, *exception: object) -> None:
        functions = _functions()
        if functions:
            functions.pop_region()

    def __call__(self, function: Callable[..., T]) -> Callable[..., T]:
        if not callable(function):
            raise TypeError(f"a region decorates a function, not {type(function).__name__}")
        if (
            inspect.iscoroutinefunction(function)
            or inspect.isgeneratorfunction(function)
            or inspect.isasyncgenfunction(function)
        ):
            raise TypeError(
                f"{function.__name__} is a coroutine or a generator: open the region with 'with', "
                "around code that does not wait"
            )

        @functools.wraps(function)
        def within(*arguments: Any, **keywords: Any) -> T:
            with self:
                return function(*arguments, **keywords)

        return within
