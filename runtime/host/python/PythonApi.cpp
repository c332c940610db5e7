//===- PythonApi.cpp - Functions of the program's interpreter -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/python/PythonApi.h"
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace gmprof::host {

namespace {

struct Row {
  size_t Member; ///< offset of a pointer to a function
  const char *Name, *EarlierName;
};

constexpr Row Needed[] = {
    {offsetof(PythonApi, StateOfThread), "PyGILState_GetThisThreadState", nullptr},
    {offsetof(PythonApi, CurrentState), "PyThreadState_GetUnchecked",
     "_PyThreadState_UncheckedGet"},
    {offsetof(PythonApi, IsFinalizing), "Py_IsFinalizing", "_Py_IsFinalizing"},
    {offsetof(PythonApi, FrameOf), "PyThreadState_GetFrame", nullptr},
    {offsetof(PythonApi, Back), "PyFrame_GetBack", nullptr},
    {offsetof(PythonApi, CodeOf), "PyFrame_GetCode", nullptr},
    {offsetof(PythonApi, LineOf), "PyFrame_GetLineNumber", nullptr},
    {offsetof(PythonApi, Retain), "Py_IncRef", nullptr},
    {offsetof(PythonApi, Release), "Py_DecRef", nullptr},
    {offsetof(PythonApi, Attribute), "PyObject_GetAttrString", nullptr},
    {offsetof(PythonApi, Encode), "PyUnicode_AsEncodedString", nullptr},
    {offsetof(PythonApi, Bytes), "PyBytes_AsStringAndSize", nullptr},
    {offsetof(PythonApi, FetchError), "PyErr_Fetch", nullptr},
    {offsetof(PythonApi, RestoreError), "PyErr_Restore", nullptr},
    {offsetof(PythonApi, ClearError), "PyErr_Clear", nullptr},
    {offsetof(PythonApi, SaveThread), "PyEval_SaveThread", nullptr},
    {offsetof(PythonApi, RestoreThread), "PyEval_RestoreThread", nullptr},
};
constexpr Row Instruction = {offsetof(PythonApi, InstructionOf), "PyFrame_GetLasti", nullptr};
constexpr Row Gc[] = {{offsetof(PythonApi, DisableGc), "PyGC_Disable", nullptr},
                      {offsetof(PythonApi, EnableGc), "PyGC_Enable", nullptr}};

} // namespace

/// Sets a member. Returns whether the interpreter has the function.
static bool lookUp(PythonApi::Lookup Of, PythonApi &To, const Row &R) {
  void *Found = Of(R.Name);
  if (!Found && R.EarlierName)
    Found = Of(R.EarlierName);
  std::memcpy(reinterpret_cast<char *>(&To) + R.Member, &Found, sizeof(Found));
  return Found;
}

PythonApi::Found PythonApi::find(Lookup Of) {
  const auto GetVersion = reinterpret_cast<const char *(*)()>(Of("Py_GetVersion"));
  if (!GetVersion)
    return Found::None;
  const char *Text = GetVersion();
  char *AfterMajor = nullptr;
  const unsigned long Major = std::strtoul(Text, &AfterMajor, 10);
  const unsigned long Minor = *AfterMajor == '.' ? std::strtoul(AfterMajor + 1, nullptr, 10) : 0;
  Version = std::to_string(Major) + '.' + std::to_string(Minor);
  StatePerThread = Minor >= 12;
  FreeThreaded = std::strstr(Text, "free-threading build");
  bool All = true;
  for (const Row &R : Needed)
    All = lookUp(Of, *this, R) && All;
  lookUp(Of, *this, Instruction);
  if (Minor == 11)
    for (const Row &R : Gc)
      lookUp(Of, *this, R);
  return All && Major == 3 && Minor >= 9 ? Found::Supported : Found::Unsupported;
}

} // namespace gmprof::host
