//===- PythonApi.h - Functions of the program's interpreter -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPython's C API as far as the recorder calls it, found by name in the program: nothing is linked
// with Python. Objects are opaque pointers.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_PYTHON_PYTHONAPI_H
#define GMPROF_HOST_PYTHON_PYTHONAPI_H

#include <string>
#include <sys/types.h>

namespace gmprof::host {

struct PythonApi {
  /// Returns the current thread state, without the check that ends the process if there is none:
  /// PyThreadState_GetUnchecked of 3.13, which was _PyThreadState_UncheckedGet before.
  void *(*CurrentState)() = nullptr;
  /// PyGILState_GetThisThreadState
  void *(*StateOfThread)() = nullptr;
  /// Py_IsFinalizing of 3.13, which was _Py_IsFinalizing before.
  int (*IsFinalizing)() = nullptr;
  /// PyThreadState_GetFrame, PyFrame_GetBack, PyFrame_GetCode: return new references.
  void *(*FrameOf)(void *State) = nullptr;
  void *(*Back)(void *Frame) = nullptr;
  void *(*CodeOf)(void *Frame) = nullptr;
  /// PyFrame_GetLineNumber
  int (*LineOf)(void *Frame) = nullptr;
  /// PyFrame_GetLasti of 3.11; null before. Faster than the line.
  int (*InstructionOf)(void *Frame) = nullptr;
  /// Py_IncRef, Py_DecRef
  void (*Retain)(void *Object) = nullptr;
  void (*Release)(void *Object) = nullptr;
  /// PyObject_GetAttrString, PyUnicode_AsEncodedString: return new references, or raise an error.
  void *(*Attribute)(void *Object, const char *Name) = nullptr;
  void *(*Encode)(void *Text, const char *Encoding, const char *Errors) = nullptr;
  /// PyBytes_AsStringAndSize
  int (*Bytes)(void *Object, char **Text, ssize_t *Count) = nullptr;
  /// PyErr_Fetch, PyErr_Restore, PyErr_Clear
  void (*FetchError)(void **Type, void **Value, void **Traceback) = nullptr;
  void (*RestoreError)(void *Type, void *Value, void *Traceback) = nullptr;
  void (*ClearError)() = nullptr;
  /// PyGC_Disable, which returns whether the collector was enabled, and PyGC_Enable. Null unless
  /// making a frame object can collect garbage, and so run code of the program: in 3.11 only.
  int (*DisableGc)() = nullptr;
  int (*EnableGc)() = nullptr;
  /// PyEval_SaveThread, PyEval_RestoreThread
  void *(*SaveThread)() = nullptr;
  void (*RestoreThread)(void *State) = nullptr;
  /// True if CurrentState is the calling thread's (3.12); before, it is that of the thread that
  /// holds the lock.
  bool StatePerThread = false;
  bool FreeThreaded = false; ///< a build without the interpreter's lock

  using Lookup = void *(*)(const char *Name);
  enum class Found { None, Unsupported, Supported };
  /// Finds the functions. Unsupported: an interpreter is there, but not all of its functions;
  /// then StateOfThread and `Version` may be set alone.
  Found find(Lookup Of);

  /// Returns the calling thread's state if it holds the interpreter's lock, else null. With a
  /// free-threaded interpreter: if it is attached.
  void *heldState() const {
    void *State = CurrentState();
    return State && (StatePerThread || State == StateOfThread()) ? State : nullptr;
  }

  std::string Version; ///< 3.11, for example
};

} // namespace gmprof::host

#endif // GMPROF_HOST_PYTHON_PYTHONAPI_H
