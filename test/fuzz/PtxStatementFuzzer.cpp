//===- PtxStatementFuzzer.cpp - Fuzzes the parser of inline PTX -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/Parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace gmprof::ptx;
  const llvm::StringRef Template(reinterpret_cast<const char *>(Data), Size);
  llvm::Expected<std::string> Text =
      expandTemplate(Template, {std::nullopt, std::nullopt, std::nullopt, -4}, 7, "asm");
  if (!Text) {
    llvm::consumeError(Text.takeError());
    return 0;
  }
  const Type Operands[] = {{TypeKind::Bits, 1, 32},
                           {TypeKind::Bits, 1, 64},
                           {TypeKind::Predicate, 1, 1},
                           {TypeKind::Bits, 1, 32}};
  llvm::consumeError(parseStatements(*Text, Operands, "asm").takeError());
  return 0;
}
