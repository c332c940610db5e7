//===- AssemblyTemplate.cpp - Templates of LLVM's inline assembly ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gmprof::ptx {

Expected<std::string> expandTemplate(StringRef Template, ArrayRef<std::optional<int64_t>> Constants,
                                     unsigned UniqueId, StringRef File) {
  std::string Out;
  StringRef Rest = Template;
  const auto Error = [&](const Twine &What) {
    StringRef Before = Template.drop_back(Rest.size());
    return createStringError(File + ":" + Twine(Before.count('\n') + 1) + ":" +
                             Twine(Before.size() - Before.rfind('\n')) + ": expected " + What);
  };
  while (!Rest.empty()) {
    // Clang has made a percent sign of two: this is no operand.
    if (Rest[0] == '%' && Rest.size() > 1 && isDigit(Rest[1]))
      return Error("a name after '%', found a digit");
    if (Rest[0] != '$') {
      Out += Rest[0];
      Rest = Rest.drop_front();
      continue;
    }
    if (Rest.consume_front("$$")) {
      Out += '$';
      continue;
    }
    if (Rest.consume_front("${:uid}")) {
      Out += utostr(UniqueId);
      continue;
    }
    StringRef After = Rest.drop_front();
    const bool Braced = After.consume_front("{");
    unsigned Number = 0;
    if (After.consumeInteger(10, Number))
      return Error("the number of an operand after '$'");
    if (Number >= Constants.size())
      return Error("one of " + Twine(Constants.size()) + " operands, found number " +
                   Twine(Number));
    if (Braced && After.consume_front(":")) // q, h …: matter to an assembler only
      After = After.drop_while(isAlnum);
    if (Braced && !After.consume_front("}"))
      return Error("'}' after the number of the operand");
    Rest = After;
    Out += Constants[Number] ? itostr(*Constants[Number]) : "%" + utostr(Number);
  }
  return Out;
}

} // namespace gmprof::ptx
