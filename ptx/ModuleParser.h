//===- ModuleParser.h - Parser of PTX modules -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_MODULEPARSER_H
#define GMPROF_PTX_MODULEPARSER_H

#include "StatementParser.h"

namespace gmprof::ptx {

/// Recursive descent.
class ModuleParser : public StatementParser {
public:
  ModuleParser(llvm::StringRef Text, llvm::StringRef File)
      : StatementParser(Text, File, "the end of the file") {}

  llvm::Expected<Module> run() {
    if (module() || resolveLines())
      return takeError();
    return std::move(M);
  }

private:
  // The module.
  bool module();
  bool version();
  bool target();
  bool pragma();
  bool alias();
  bool file();
  bool section();
  bool declaration();
  bool parenthesised();
  bool resolveLines();

  // Functions.
  bool function(bool Entry, Linkage Link);
  bool functionDirectives();
  bool body();
  bool directive() override;
  bool labelled(Label &New) override;
  bool prototype(Signature &S);
  bool location();

  // Variables.
  bool variables(Space In, Linkage Link, std::vector<Variable> &Out);
  bool variableType(Variable &V);
  bool variableName(Variable &V, llvm::SmallVectorImpl<uint64_t> &Dimensions);
  bool initialiser(Variable &V, llvm::ArrayRef<uint64_t> Dimensions, unsigned Level,
                   uint64_t &Element);
  bool initialiserValue(Initialiser &I);
  bool parameters(std::vector<Variable> &Out, const llvm::Twine &What);

  Module M;
  llvm::StringMap<std::string> DebugStrings; ///< label in .debug_str → string
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_MODULEPARSER_H
