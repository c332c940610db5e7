//===- gmprof-instrument.cpp - Translates kernels between PTX and LLVM IR -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/Codegen.h"
#include "ptx/Lift.h"
#include "ptx/Parser.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gmprof;

namespace {

constexpr StringRef Help = R"(Usage: gmprof-instrument COMMAND FILE.ptx [OPTION…]

Translates GPU code in PTX, as nvcc, NVRTC, clang and Triton write it, to LLVM IR. Instructions
that LLVM IR cannot express become inline assembly.

Commands:
  lift FILE.ptx [-o OUTPUT]
        Write the module as LLVM IR: text, or bitcode if the name of OUTPUT ends in .bc.
        Without -o, write text to standard output.
  relower FILE.ptx [-o OUTPUT]
        Translate to LLVM IR, simplify, and compile to PTX again.

Options:
  -o OUTPUT       Write to OUTPUT instead of standard output; - is standard output.
  --simplify      With lift: promote registers and simplify, as relower does.
  --statistics    Print to standard error how many instructions were translated, and which
                  became inline assembly.
  --help          Print this text.
  --version       Print the version.

Exit status: 0 after success, 1 if a file cannot be read, translated or written, 2 after a wrong
command line.
)";

struct CommandLine {
  StringRef Command, Input, Output = "-";
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

Error write(llvm::Module &M, const ptx::Module &Source, const CommandLine &Line) {
  std::string Text;
  if (Line.Command == "relower") {
    Expected<std::string> Ptx = ptx::generate(M, Source);
    if (!Ptx)
      return Ptx.takeError();
    Text = std::move(*Ptx);
  }
  std::error_code Code;
  raw_fd_ostream Stream(Line.Output, Code);
  if (Code)
    return createStringError("cannot write " + Line.Output + ": " + Code.message());
  if (Line.Command == "relower")
    Stream << Text;
  else if (Line.Output.ends_with(".bc"))
    WriteBitcodeToFile(M, Stream);
  else
    M.print(Stream, nullptr);
  Stream.close();
  if (Stream.has_error()) {
    std::error_code Failed = Stream.error();
    Stream.clear_error();
    return createStringError("cannot write " + Line.Output + ": " + Failed.message());
  }
  return Error::success();
}

int run(const CommandLine &Line) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Line.Input);
  if (!File)
    return failure(
        createStringError("cannot read " + Line.Input + ": " + File.getError().message()));
  // The text of a fat binary ends in a null character.
  StringRef Text = (*File)->getBuffer().rtrim('\0');
  Expected<ptx::Module> Source = ptx::parse(Text, Line.Input);
  if (!Source)
    return failure(Source.takeError());
  LLVMContext Context;
  ptx::LiftStatistics Statistics;
  Expected<std::unique_ptr<llvm::Module>> M = ptx::lift(*Source, Line.Input, Context, &Statistics);
  if (!M)
    return failure(M.takeError());
  if (Line.Simplify || Line.Command == "relower")
    ptx::simplify(**M);
  if (Error E = write(**M, *Source, Line))
    return failure(std::move(E));
  if (Line.Statistics)
    print(Statistics);
  return 0;
}

} // namespace

int main(int Count, char **Arguments) {
  CommandLine Line;
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
    if (A == "-o") {
      if (++I == Count)
        return usageError("-o needs the name of a file");
      Line.Output = Arguments[I];
    } else if (A == "--simplify") {
      Line.Simplify = true;
    } else if (A == "--statistics") {
      Line.Statistics = true;
    } else if (A.starts_with("-")) {
      return usageError("unknown option '" + A + "'");
    } else if (Line.Command.empty()) {
      Line.Command = A;
    } else if (Line.Input.empty()) {
      Line.Input = A;
    } else {
      return usageError("more than one input file: '" + A + "'");
    }
  }
  if (Line.Command.empty())
    return usageError("no command");
  if (Line.Command != "lift" && Line.Command != "relower")
    return usageError("unknown command '" + Line.Command + "'");
  if (Line.Input.empty())
    return usageError("'" + Line.Command + "' needs the name of a PTX file");
  return run(Line);
}
