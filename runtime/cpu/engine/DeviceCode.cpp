//===- DeviceCode.cpp - Reader of device code -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/DeviceCode.h"
#include "ptx/Codegen.h"
#include "ptx/Lift.h"
#include "ptx/Parser.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace gmprof::cpu {

/// Returns whether code that is not bitcode is PTX: LLVM IR begins with neither.
static bool isPtx(StringRef Text) {
  Text = Text.ltrim();
  return Text.starts_with(".") || Text.starts_with("/");
}

Expected<std::unique_ptr<llvm::Module>> readDeviceCode(StringRef Code, const std::string &Name,
                                                       LLVMContext &Context) {
  if (isBitcode(Code.bytes_begin(), Code.bytes_end())) {
    auto Parsed = parseBitcodeFile(MemoryBufferRef(Code, Name), Context);
    if (!Parsed)
      return createStringError("device bitcode cannot be read: " + toString(Parsed.takeError()) +
                               "; rebuild the program with this version's gmprof-clang++");
    return Parsed;
  }
  if (isPtx(Code)) {
    auto Source = gmprof::ptx::parse(Code, "PTX");
    if (!Source)
      return Source.takeError();
    auto Lifted = gmprof::ptx::lift(*Source, "PTX", Context);
    if (Lifted)
      gmprof::ptx::simplify(**Lifted);
    return Lifted;
  }
  SMDiagnostic Diagnostic;
  auto Text = MemoryBuffer::getMemBufferCopy(Code); // ends in a null character, as LLVM requires
  if (auto Parsed = parseIR(*Text, Diagnostic, Context)) {
    if (Parsed->getTargetTriple().empty()) // as Triton writes it
      Parsed->setTargetTriple(Triple("nvptx64-nvidia-cuda"));
    if (Parsed->getDataLayoutStr().empty())
      Parsed->setDataLayout(Parsed->getTargetTriple().computeDataLayout());
    return Parsed;
  }
  return createStringError("device code is neither bitcode, PTX nor LLVM IR (line " +
                           Twine(Diagnostic.getLineNo()) + ": " + Diagnostic.getMessage() + ")");
}

} // namespace gmprof::cpu
