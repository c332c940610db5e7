//===- gmprof-instrument.cpp - Makes instrumented clones of kernels -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instrument/CloneCompiler.h"
#include "instrument/MachineCodeListing.h"
#include "instrument/Server.h"
#include "ptx/Codegen.h"
#include "ptx/Lift.h"
#include "ptx/Parser.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace llvm;
using namespace gmprof;

namespace {

constexpr StringRef Help = R"(Usage: gmprof-instrument COMMAND [OPTION…] FILE

Translates GPU code in PTX, as nvcc, NVRTC, clang and Triton write it, to LLVM IR, and makes
instrumented clones of its kernels. Instructions that LLVM IR cannot express become inline assembly.

Commands:
  lift FILE.ptx [-o OUTPUT]
        Write the module as LLVM IR: text, or bitcode if the name of OUTPUT ends in .bc.
        Without -o, write text to standard output.
  relower FILE.ptx [-o OUTPUT]
        Translate to LLVM IR, simplify, and compile to PTX again.
  clone --profile PROFILE[,…] [--kernel NAME] [--arch sm_XX] [-gm-OPTION…] FILE… [-o OUTPUT]
        Write PTX with the clones of one kernel for each profile, and the kernel's descriptor.
        FILE is PTX, LLVM IR or bitcode; several files are the PTX of linked translation units.
        -gm-OPTION is an option of the pass, as -gm-level=basic.
  machine-code [--kernel NAME] FILE
        Print the memory instructions of machine code with their bytes per lane and source lines.
        FILE is a cubin, a fat binary, an executable or an object file. --kernel: one kernel only.
  serve
        Read requests for clones from standard input until it ends, and write the answers to
        standard output, in the format of runtime/host/instrument/CloneProtocol.h.

Options:
  -o OUTPUT         Write to OUTPUT instead of standard output; - is standard output.
  --simplify        With lift: promote registers and simplify, as relower does.
  --profile PROFILE shared, global, objects, heat or cache.
  --kernel NAME     The kernel's mangled name, unless the module has only one.
  --arch sm_XX      The device's architecture; default: the one that the module states.
  --machine-code CUBIN
                    The kernel's machine code, which tells how wide its memory requests are.
  --statistics      Print to standard error how many instructions were translated and which became
                    inline assembly; with clone, how long each step took.
  --help            Print this text.
  --version         Print the version.

Exit status: 0 after success, 1 if a file cannot be read, translated or written, 2 after a wrong
command line.
)";

struct CommandLine {
  StringRef Command, Input, Output = "-";
  std::vector<StringRef> OtherInputs; ///< behind Input
  StringRef Profile, Kernel, Architecture, MachineCode;
  std::vector<std::string_view> PassOptions;
  bool Simplify = false, Statistics = false;
};

/// Reports a wrong command line. Returns the exit status.
int usageError(const Twine &What) {
  errs() << "gmprof-instrument: " << What << "\nTry 'gmprof-instrument --help'.\n";
  return 2;
}

int failure(Error E) {
  errs() << "gmprof-instrument: error: " << toString(std::move(E)) << "\n";
  return 1;
}

void print(const ptx::LiftStatistics &S) {
  unsigned Modelled = 0, Assembly = 0;
  for (const auto &[Name, Count] : S.Modelled)
    Modelled += Count;
  for (const auto &[Name, Count] : S.InlineAssembly)
    Assembly += Count;
  errs() << Modelled << " instructions translated, " << Assembly << " kept as inline assembly\n";
  for (const auto &[Name, Count] : S.InlineAssembly)
    errs() << "  " << Count << " " << Name << "\n";
}

void print(const instrument::CloneTimes &T) {
  const auto Print = [](StringRef Step, std::chrono::nanoseconds Time) {
    errs() << format("%-10s %6.1f ms\n", Step.data(), Time.count() * 1e-6);
  };
  Print("read", T.Read);
  Print("instrument", T.Instrument);
  Print("generate", T.Generate);
}

Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
  if (!File)
    return createStringError("cannot read " + Path + ": " + File.getError().message());
  return std::move(*File);
}

/// Writes the output. Write is called with its stream.
template <typename Function> Error writeOutput(StringRef Output, Function Write) {
  std::error_code Code;
  raw_fd_ostream Stream(Output, Code);
  if (Code)
    return createStringError("cannot write " + Output + ": " + Code.message());
  Write(Stream);
  Stream.close();
  if (Stream.has_error()) {
    std::error_code Failed = Stream.error();
    Stream.clear_error();
    return createStringError("cannot write " + Output + ": " + Failed.message());
  }
  return Error::success();
}

Error writeText(StringRef Output, StringRef Text) {
  return writeOutput(Output, [&](raw_ostream &Stream) { Stream << Text; });
}

Error translate(StringRef Bytes, const CommandLine &Line) {
  // The text of a fat binary ends in a null character.
  Expected<ptx::Module> Source = ptx::parse(Bytes.rtrim('\0'), Line.Input);
  if (!Source)
    return Source.takeError();
  LLVMContext Context;
  ptx::LiftStatistics Statistics;
  Expected<std::unique_ptr<llvm::Module>> M = ptx::lift(*Source, Line.Input, Context, &Statistics);
  if (!M)
    return M.takeError();
  if (Line.Simplify || Line.Command == "relower")
    ptx::simplify(**M);
  if (Line.Command == "relower") {
    Expected<std::string> Ptx = ptx::generate(**M, ptx::targetOf(*Source));
    if (!Ptx)
      return Ptx.takeError();
    if (Error E = writeText(Line.Output, *Ptx))
      return E;
  } else if (Error E = writeOutput(Line.Output, [&](raw_ostream &Stream) {
               if (Line.Output.ends_with(".bc"))
                 WriteBitcodeToFile(**M, Stream);
               else
                 (*M)->print(Stream, nullptr);
             })) {
    return E;
  }
  if (Line.Statistics)
    print(Statistics);
  return Error::success();
}

Error clone(StringRef Bytes, const CommandLine &Line) {
  std::string Units = Bytes.str();
  for (StringRef Each : Line.OtherInputs) {
    Expected<std::unique_ptr<MemoryBuffer>> File = readFile(Each);
    if (!File)
      return File.takeError();
    (Units += '\0') += (*File)->getBuffer();
  }
  CloneRequest Request;
  Request.Module = Units;
  Request.Kernel = Line.Kernel;
  SmallVector<StringRef> Profiles;
  Line.Profile.split(Profiles, ',');
  Request.Profiles.assign(Profiles.begin(), Profiles.end());
  Request.Architecture = Line.Architecture;
  std::unique_ptr<MemoryBuffer> Cubin;
  if (!Line.MachineCode.empty()) {
    Expected<std::unique_ptr<MemoryBuffer>> File = readFile(Line.MachineCode);
    if (!File)
      return File.takeError();
    Cubin = std::move(*File);
    Request.MachineCode = Cubin->getBuffer();
  }
  Request.Options = Line.PassOptions;
  instrument::CloneTimes Times;
  Expected<instrument::CompiledClone> Clone =
      instrument::CloneCompiler().compile(Request, Line.Input, &Times);
  if (!Clone)
    return Clone.takeError();
  std::string Text = Clone->Code;
  for (auto [Slot, Name] : enumerate(Clone->Variables))
    Text += ("// " GMPROF_VARIABLES_TABLE "[" + Twine(Slot) + "] = " + Name + "\n").str();
  if (Error E = writeText(Line.Output, Text))
    return E;
  if (Line.Statistics)
    print(Times);
  return Error::success();
}

Error printMachineCode(StringRef Bytes, const CommandLine &Line) {
  std::string Failure;
  if (Error E = writeOutput(Line.Output, [&](raw_ostream &Stream) {
        if (Error Failed = instrument::printMachineCode(Stream, Bytes, Line.Kernel))
          Failure = toString(std::move(Failed));
      }))
    return E;
  if (!Failure.empty())
    return createStringError(Line.Input + ": " + Failure);
  return Error::success();
}

int run(const CommandLine &Line) {
  if (Line.Command == "serve")
    return instrument::serve(STDIN_FILENO, STDOUT_FILENO);
  Expected<std::unique_ptr<MemoryBuffer>> File = readFile(Line.Input);
  if (!File)
    return failure(File.takeError());
  const StringRef Bytes = (*File)->getBuffer();
  if (Error E = Line.Command == "clone"          ? clone(Bytes, Line)
                : Line.Command == "machine-code" ? printMachineCode(Bytes, Line)
                                                 : translate(Bytes, Line))
    return failure(std::move(E));
  return 0;
}

/// Returns what is wrong with the command line; empty: nothing.
std::string errorOf(const CommandLine &Line) {
  const StringRef Command = Line.Command;
  if (Command.empty())
    return "no command";
  if (!is_contained({"lift", "relower", "clone", "machine-code", "serve"}, Command))
    return ("unknown command '" + Command + "'").str();
  if (Line.Input.empty() != (Command == "serve"))
    return ("'" + Command + "' " +
            (Command == "serve" ? "takes no file" : "needs the name of a file"))
        .str();
  const bool HasOptionsOfClone = !Line.Profile.empty() || !Line.Architecture.empty() ||
                                 !Line.MachineCode.empty() || !Line.PassOptions.empty();
  if (Command != "clone" && HasOptionsOfClone)
    return "--profile, --arch, --machine-code and -gm-… need the command 'clone'";
  if (Command != "clone" && Command != "machine-code" && !Line.Kernel.empty())
    return "--kernel needs the command 'clone' or 'machine-code'";
  if (Command == "clone" && Line.Profile.empty())
    return "'clone' needs --profile";
  return "";
}

} // namespace

int main(int Count, char **Arguments) {
  CommandLine Line;
  const std::pair<StringRef, StringRef *> Values[] = {{"-o", &Line.Output},
                                                      {"--profile", &Line.Profile},
                                                      {"--kernel", &Line.Kernel},
                                                      {"--arch", &Line.Architecture},
                                                      {"--machine-code", &Line.MachineCode}};
  for (int I = 1; I < Count; ++I) {
    StringRef A = Arguments[I];
    if (A == "--help" || A == "-h") {
      outs() << Help;
      return 0;
    }
    if (A == "--version") {
      outs() << "gmprof-instrument " GMPROF_VERSION "\n";
      return 0;
    }
    if (const auto *Value = find_if(Values, [&](const auto &V) { return V.first == A; });
        Value != std::end(Values)) {
      if (++I == Count)
        return usageError(A + " needs a value");
      *Value->second = Arguments[I];
    } else if (A == "--simplify") {
      Line.Simplify = true;
    } else if (A == "--statistics") {
      Line.Statistics = true;
    } else if (A.starts_with("-gm-")) {
      Line.PassOptions.push_back(A);
    } else if (A.starts_with("-")) {
      return usageError("unknown option '" + A + "'");
    } else if (Line.Command.empty()) {
      Line.Command = A;
    } else if (Line.Input.empty()) {
      Line.Input = A;
    } else if (Line.Command == "clone") {
      Line.OtherInputs.push_back(A);
    } else {
      return usageError("more than one input file: '" + A + "'");
    }
  }
  if (const std::string Wrong = errorOf(Line); !Wrong.empty())
    return usageError(Wrong);
  return run(Line);
}
