//===- PythonStacksTest.cpp - Python functions on the stack by number -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/python/PythonStacks.h"
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <thread>

namespace gmprof::host {
namespace {

/// An object of the fake interpreter: a code object, a frame, or a text.
struct Object {
  int References = 1;
  std::optional<std::string> File = {}, Function = {}, QualifiedName = {}; ///< of code
  Object *Code = nullptr, *Outer = nullptr;                                ///< of a frame
  int Instruction = 0, Line = 0;
  std::string Text = {};
};

struct State {
  Object *Frame = nullptr;
};

/// The fake interpreter. Each function checks that it is called as CPython demands.
struct Interpreter {
  std::string Version = "3.11.7 (main, Jan  1 2024)";
  std::map<std::string, void *> Functions;
  State *Current = nullptr; ///< of the thread that holds the lock
  bool Finalizing = false, GcEnabled = true;
  void *Error = nullptr;
  int LineCalls = 0, FrameObjectsWithGc = 0;
  std::function<void()> OnFrame; ///< called when a frame object is made
} *Python;

thread_local State *OfThread;

Object &object(void *O) { return *static_cast<Object *>(O); }

void *retained(Object *O) {
  if (O)
    ++O->References;
  return O;
}

void *lookUp(const char *Name) {
  const auto Found = Python->Functions.find(Name);
  return Found == Python->Functions.end() ? nullptr : Found->second;
}

template <typename Function> void *pointer(Function *F) { return reinterpret_cast<void *>(F); }

void *attribute(void *Of, const char *Name) {
  const Object *Code = &object(Of);
  EXPECT_EQ(Python->Error, nullptr) << "called with an error set";
  const std::map<std::string, std::optional<std::string>> All = {
      {"co_filename", Code->File},
      {"co_name", Code->Function},
      {"co_qualname", Code->QualifiedName}};
  if (const std::optional<std::string> &Text = All.at(Name)) {
    auto *Made = new Object;
    Made->Text = *Text;
    return Made;
  }
  Python->Error = Of; // an AttributeError
  return nullptr;
}

class PythonStacksTest : public testing::Test {
protected:
  PythonStacksTest() {
    Python = &Fake;
    OfThread = &Main;
    Fake.Current = &Main;
    auto &F = Fake.Functions;
    F["Py_GetVersion"] = pointer(+[] { return Python->Version.c_str(); });
    F["PyGILState_GetThisThreadState"] = pointer(+[]() -> void * { return OfThread; });
    F["_PyThreadState_UncheckedGet"] = pointer(+[]() -> void * { return Python->Current; });
    F["_Py_IsFinalizing"] = pointer(+[] { return int(Python->Finalizing); });
    F["PyThreadState_GetFrame"] = pointer(+[](void *Of) {
      if (Python->OnFrame)
        Python->OnFrame();
      Python->FrameObjectsWithGc += Python->GcEnabled;
      return retained(static_cast<State *>(Of)->Frame);
    });
    F["PyFrame_GetBack"] = pointer(+[](void *O) { return retained(object(O).Outer); });
    F["PyFrame_GetCode"] = pointer(+[](void *O) { return retained(object(O).Code); });
    F["PyFrame_GetLasti"] = pointer(+[](void *O) { return object(O).Instruction; });
    F["PyFrame_GetLineNumber"] = pointer(+[](void *O) {
      ++Python->LineCalls;
      return object(O).Line;
    });
    F["Py_IncRef"] = pointer(+[](void *O) { retained(&object(O)); });
    F["Py_DecRef"] = pointer(+[](void *O) {
      if (--object(O).References == 0)
        delete &object(O);
    });
    F["PyObject_GetAttrString"] = pointer(attribute);
    F["PyUnicode_AsEncodedString"] =
        pointer(+[](void *O, const char *, const char *) { return retained(&object(O)); });
    F["PyBytes_AsStringAndSize"] = pointer(+[](void *O, char **Text, ssize_t *Count) {
      *Text = object(O).Text.data();
      *Count = static_cast<ssize_t>(object(O).Text.size());
      return 0;
    });
    F["PyErr_Fetch"] = pointer(+[](void **Type, void **Value, void **Traceback) {
      *Type = std::exchange(Python->Error, nullptr);
      *Value = *Traceback = nullptr;
    });
    F["PyErr_Restore"] = pointer(+[](void *Type, void *, void *) { Python->Error = Type; });
    F["PyErr_Clear"] = pointer(+[] { Python->Error = nullptr; });
    F["PyGC_Disable"] = pointer(+[] { return int(std::exchange(Python->GcEnabled, false)); });
    F["PyGC_Enable"] = pointer(+[] { return int(std::exchange(Python->GcEnabled, true)); });
    F["PyEval_SaveThread"] = pointer(+[]() -> void * { return nullptr; });
    F["PyEval_RestoreThread"] = pointer(+[](void *) {});
  }

  /// Makes the interpreter one of 3.12 or newer: states are per thread, and names are new.
  void become(const std::string &Version) {
    Fake.Version = Version;
    Fake.Functions["PyThreadState_GetUnchecked"] = Fake.Functions["_PyThreadState_UncheckedGet"];
    Fake.Functions["Py_IsFinalizing"] = Fake.Functions["_Py_IsFinalizing"];
    Fake.Functions.erase("_PyThreadState_UncheckedGet");
    Fake.Functions.erase("_Py_IsFinalizing");
  }

  PythonStacks &stacks() {
    if (!Stacks)
      Stacks.emplace(lookUp).find();
    return *Stacks;
  }

  /// Returns the functions of a stack, such as "f a.py:3 < <module> a.py:9".
  std::string textOf(uint32_t Stack) {
    std::string Text;
    for (const log::PythonFrame &F : stacks().frames(Stack)) {
      const PythonCode Code = stacks().code(F.code);
      Text += (Text.empty() ? "" : " < ") + Code.Function + ' ' + Code.File + ':' +
              std::to_string(F.line);
    }
    return Text;
  }

  Interpreter Fake;
  State Main;
  Object Module = {.File = "a.py", .Function = "<module>", .QualifiedName = "<module>"};
  Object Method = {.File = "a.py", .Function = "f", .QualifiedName = "C.f"};
  Object OfModule = {.Code = &Module, .Instruction = 20, .Line = 9};
  Object OfMethod = {.Code = &Method, .Outer = &OfModule, .Instruction = 6, .Line = 3};
  std::optional<PythonStacks> Stacks;
};

TEST_F(PythonStacksTest, FunctionsAndLinesInnermostFirst) {
  Main.Frame = &OfMethod;
  EXPECT_EQ(textOf(stacks().current()), "C.f a.py:3 < <module> a.py:9");
}

TEST_F(PythonStacksTest, TheSameStackHasTheSameNumber) {
  Main.Frame = &OfMethod;
  const uint32_t First = stacks().current();
  Main.Frame = &OfModule;
  const uint32_t Other = stacks().current();
  EXPECT_NE(Other, First);
  OfModule.Line = 10;
  OfModule.Instruction = 24;
  const uint32_t NextLine = stacks().current();
  EXPECT_EQ(textOf(NextLine), "<module> a.py:10");
  OfModule.Line = 9; // another instruction of the first line
  OfModule.Instruction = 22;
  EXPECT_EQ(stacks().current(), Other);
  Main.Frame = &OfMethod;
  EXPECT_EQ(stacks().current(), First);
}

TEST_F(PythonStacksTest, LooksUpLinesOfNewStacksOnly) {
  Main.Frame = &OfMethod;
  stacks().current();
  EXPECT_EQ(Fake.LineCalls, 2);
  stacks().current();
  EXPECT_EQ(Fake.LineCalls, 2);
}

TEST_F(PythonStacksTest, KeepsOneReferenceToEachCode) {
  Main.Frame = &OfMethod;
  for (int I = 0; I < 3; ++I)
    stacks().current();
  OfMethod.Instruction = 8;
  stacks().current();
  EXPECT_EQ(Module.References, 2);
  EXPECT_EQ(Method.References, 2);
  EXPECT_EQ(OfModule.References, 1);
  EXPECT_EQ(OfMethod.References, 1);
}

TEST_F(PythonStacksTest, KeepsTheInnermostFunctionsOfDeepStacks) {
  std::vector<Object> Frames(200);
  for (size_t I = 0; I < Frames.size(); ++I) {
    Frames[I].Code = &Method;
    Frames[I].Line = static_cast<int>(I);
    Frames[I].Outer = I + 1 < Frames.size() ? &Frames[I + 1] : nullptr;
  }
  Main.Frame = Frames.data();
  const std::vector<log::PythonFrame> Kept = stacks().frames(stacks().current());
  ASSERT_EQ(Kept.size(), 128u);
  EXPECT_EQ(Kept.front().line, 0u);
  EXPECT_EQ(Kept.back().line, 127u);
  for (const Object &Each : Frames)
    EXPECT_EQ(Each.References, 1);
}

TEST_F(PythonStacksTest, NoFunctionRuns) { EXPECT_EQ(stacks().current(), PythonStacks::None); }

TEST_F(PythonStacksTest, ChangesNoErrorOfTheProgram) {
  Object Raised;
  Fake.Error = &Raised;
  Method.QualifiedName.reset(); // raises an error of its own, as before 3.11
  Main.Frame = &OfMethod;
  EXPECT_EQ(textOf(stacks().current()), "f a.py:3 < <module> a.py:9");
  EXPECT_EQ(Fake.Error, &Raised);
}

TEST_F(PythonStacksTest, CodeWithoutNames) {
  Module.File.reset();
  Module.Function.reset();
  Module.QualifiedName.reset();
  OfModule.Line = -1; // unknown
  Main.Frame = &OfModule;
  EXPECT_EQ(textOf(stacks().current()), " :0");
  EXPECT_EQ(Fake.Error, nullptr);
}

TEST_F(PythonStacksTest, CollectsNoGarbage) {
  Main.Frame = &OfMethod;
  stacks().current();
  EXPECT_EQ(Fake.FrameObjectsWithGc, 0);
  EXPECT_TRUE(Fake.GcEnabled);
  Fake.GcEnabled = false; // the program has disabled it
  stacks().current();
  EXPECT_FALSE(Fake.GcEnabled);
}

TEST_F(PythonStacksTest, CallsOfTheInterpreterItselfAreUnknown) {
  Main.Frame = &OfMethod;
  uint32_t Inner = 0;
  Fake.OnFrame = [&] { Inner = stacks().current(); };
  EXPECT_EQ(textOf(stacks().current()), "C.f a.py:3 < <module> a.py:9");
  EXPECT_EQ(Inner, PythonStacks::Unknown);
}

TEST_F(PythonStacksTest, AnotherThreadHoldsTheLock) {
  Main.Frame = &OfMethod;
  stacks();
  std::thread([&] {
    EXPECT_EQ(stacks().current(), PythonStacks::None); // no thread of Python
    State Own;
    OfThread = &Own;
    EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
  }).join();
}

TEST_F(PythonStacksTest, AReleasedLock) {
  Main.Frame = &OfMethod;
  const uint32_t Outer = stacks().current();
  stacks().released(&Main, Outer);
  Fake.Current = nullptr;
  EXPECT_EQ(stacks().current(), Outer);

  // Native code calls Python code, which releases the lock again.
  Fake.Current = &Main;
  Object Callback = {.Code = &Module, .Outer = &OfMethod, .Line = 12};
  Main.Frame = &Callback;
  const uint32_t Inner = stacks().current();
  EXPECT_EQ(textOf(Inner), "<module> a.py:12 < C.f a.py:3 < <module> a.py:9");
  stacks().released(&Main, Inner);
  Fake.Current = nullptr;
  EXPECT_EQ(stacks().current(), Inner);
  stacks().taken(&Main);
  EXPECT_EQ(stacks().current(), Outer);
  stacks().taken(&Main);
  EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
  stacks().taken(&Main); // was released elsewhere
  EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
}

/// Calls Do in a thread of this name that is no thread of Python.
void inThread(const char *Name, const std::function<void()> &Do) {
  std::thread([&] {
    pthread_setname_np(pthread_self(), Name);
    OfThread = nullptr;
    Do();
  }).join();
}

TEST_F(PythonStacksTest, ThreadsOfTheBackwardPassHaveTheFunctionsThatWaitForIt) {
  Object Engine = {.File = "/v/site-packages/torch/autograd/graph.py",
                   .Function = "_engine_run_backward",
                   .QualifiedName = "_engine_run_backward"};
  Object Run = {.Code = &Engine, .Outer = &OfMethod, .Instruction = 2, .Line = 869};
  Object Backward = {.File = "f.py", .Function = "backward", .QualifiedName = "F.backward"};
  Object OfBackward = {.Code = &Backward, .Instruction = 4, .Line = 5};
  const auto InBackward = [&] { return stacks().current(); };
  uint32_t Found = 0;
  const auto Find = [&](const char *Name) {
    inThread(Name, [&] { Found = InBackward(); });
    return Found;
  };
  EXPECT_EQ(Find("pt_autograd_0"), PythonStacks::None); // nothing waits

  Main.Frame = &OfMethod; // another function that waits
  stacks().released(&Main, stacks().current());
  EXPECT_EQ(Find("pt_autograd_0"), PythonStacks::None);
  stacks().taken(&Main);

  Main.Frame = &Run;
  const uint32_t Waiting = stacks().current();
  stacks().released(&Main, Waiting);
  Fake.Current = nullptr;
  EXPECT_EQ(textOf(Find("pt_autograd_0")),
            "_engine_run_backward /v/site-packages/torch/autograd/graph.py:869 < C.f a.py:3 < "
            "<module> a.py:9");
  EXPECT_EQ(Find("pt_autograd_1"), Waiting);
  EXPECT_EQ(Find("pt_nccl_watchdg"), PythonStacks::None); // works for no one

  // A function of the program, or of torch.compile, is part of the pass.
  inThread("pt_autograd_0", [&] {
    State Own = {&OfBackward};
    OfThread = Fake.Current = &Own;
    EXPECT_EQ(
        textOf(stacks().current()),
        "F.backward f.py:5 < _engine_run_backward /v/site-packages/torch/autograd/graph.py:869 "
        "< C.f a.py:3 < <module> a.py:9");
    Fake.Current = nullptr;
  });

  // A second thread waits for another backward pass: either may have caused a call.
  inThread("other", [&] {
    State Own = {&Run};
    OfThread = Fake.Current = &Own;
    stacks().released(&Own, stacks().current());
    Fake.Current = nullptr;
    EXPECT_EQ(Find("pt_autograd_0"), PythonStacks::None);
    stacks().taken(&Own);
  });
  EXPECT_EQ(Find("pt_autograd_0"), Waiting);
  stacks().taken(&Main);
  EXPECT_EQ(Find("pt_autograd_0"), PythonStacks::None);
}

TEST_F(PythonStacksTest, TakingTheLockForgetsReleasesThatWereNotTakenBack) {
  State Other;
  stacks().released(&Main, 1);
  stacks().released(&Other, 2);
  stacks().taken(&Main);
  Fake.Current = nullptr;
  EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
}

TEST_F(PythonStacksTest, AnEndingInterpreter) {
  Main.Frame = &OfMethod;
  Fake.Finalizing = true;
  EXPECT_EQ(stacks().current(), PythonStacks::None);
}

TEST_F(PythonStacksTest, SubInterpreters) {
  // Before 3.12 a state of another interpreter looks like that of another thread, unless the thread
  // has released the lock with it.
  State Sub;
  Sub.Frame = &OfModule;
  Fake.Current = &Sub;
  EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
  EXPECT_EQ(
      stacks().whyUnknown(),
      "the Python functions on them are unknown: the thread had released the interpreter's "
      "lock in a way that GMProf does not see, or ran a sub-interpreter, whose functions need "
      "Python 3.12 or newer, and this is 3.11");
  EXPECT_EQ(textOf(stacks().currentOf(&Sub)), "<module> a.py:9");

  Stacks.reset();
  become("3.12.1");
  EXPECT_EQ(textOf(stacks().current()), "<module> a.py:9");
  Fake.Current = nullptr;
  EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
  EXPECT_EQ(stacks().whyUnknown(),
            "the Python functions on them are unknown: the thread had released the interpreter's "
            "lock in a way that GMProf does not see");
}

TEST_F(PythonStacksTest, AFreeThreadedInterpreter) {
  become("3.13.0 experimental free-threading build (main, Oct  8 2024)");
  Main.Frame = &OfMethod;
  EXPECT_EQ(textOf(stacks().current()), "C.f a.py:3 < <module> a.py:9");
  Fake.Current = nullptr; // detached
  EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
  EXPECT_EQ(stacks().whyUnknown(),
            "the Python functions on them are unknown: the thread was not attached to the "
            "free-threaded interpreter, and GMProf did not see it detach");
}

TEST_F(PythonStacksTest, VersionsDifferInTheirFunctions) {
  for (const char *Version : {"3.9.18", "3.10.13 (default)", "3.11.7", "3.12.1", "3.13.0"}) {
    SCOPED_TRACE(Version);
    Stacks.reset();
    Fake.Version = Version;
    const long Minor = std::strtol(Version + 2, nullptr, 10);
    const auto Saved = Fake.Functions;
    if (Minor < 11)
      Fake.Functions.erase("PyFrame_GetLasti");
    if (Minor < 10)
      Fake.Functions.erase("PyGC_Disable");
    if (Minor == 13)
      become(Version);
    Main.Frame = &OfMethod;
    const uint32_t Stack = stacks().current();
    EXPECT_EQ(textOf(Stack), "C.f a.py:3 < <module> a.py:9");
    EXPECT_EQ(stacks().current(), Stack);
    OfMethod.Line = 4;
    OfMethod.Instruction += 2;
    EXPECT_EQ(textOf(stacks().current()), "C.f a.py:4 < <module> a.py:9");
    OfMethod.Line = 3;
    Fake.Functions = Saved;
  }
}

TEST_F(PythonStacksTest, OldVersionsAreUnsupported) {
  Fake.Version = "3.8.18";
  Fake.Functions.erase("PyThreadState_GetFrame");
  Main.Frame = &OfMethod;
  EXPECT_EQ(stacks().current(), PythonStacks::Unknown);
  EXPECT_EQ(stacks().whyUnknown(), "the Python functions on them are unknown: Python 3.9 or newer "
                                   "is needed, and this is 3.8");
  OfThread = nullptr;
  EXPECT_EQ(stacks().current(), PythonStacks::None);
}

TEST_F(PythonStacksTest, AnInterpreterThatIsLoadedLater) {
  const auto All = std::exchange(Fake.Functions, {});
  EXPECT_EQ(stacks().current(), PythonStacks::None);
  Fake.Functions = All;
  stacks().find();
  Main.Frame = &OfModule;
  EXPECT_EQ(textOf(stacks().current()), "<module> a.py:9");
}

} // namespace
} // namespace gmprof::host
