//===- StatementParser.h - Parser of PTX statements -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_STATEMENTPARSER_H
#define GMPROF_PTX_STATEMENTPARSER_H

#include "Parser.h"
#include "TokenReader.h"

namespace gmprof::ptx {

/// Parses statements into the function F: declarations of registers, labels, instructions and
/// blocks of them. What else may be in a function, derived classes parse.
class StatementParser : public TokenReader {
public:
  StatementParser(llvm::StringRef Text, llvm::StringRef File, llvm::StringRef End)
      : TokenReader(Text, File, End) {}

  /// Parses a text of nothing but statements, whose first registers are the operands %0, %1 ….
  llvm::Expected<Function> run(llvm::ArrayRef<Type> Operands, Names Allowed);

protected:
  /// The register, label or variable that a name refers to.
  struct Entity {
    Operand::Kind K;
    unsigned Index;
  };

  /// Begins with no names.
  void begin();
  bool declare(llvm::StringRef Name, Entity E, Position At);
  /// Reads statements up to the end of the text, or the '}' of a block that they did not open.
  bool statements();
  bool operands(std::vector<Operand> &Out, char Close, unsigned Depth, const llvm::Twine &What);
  /// Turns symbols that are labels, of an enclosing block, into labels.
  void resolveLabels();

  /// Reads a directive other than .reg.
  virtual bool directive();
  /// Reads what follows the label, if it does not name the next instruction.
  virtual bool labelled(Label &New);

  Function F;
  int CurrentLine = -1;         ///< index into F.Lines
  bool PendingNoUnroll = false; ///< the next label's loop must not be unrolled

private:
  struct RegisterRange {
    unsigned First, Count;
  };
  /// A block { … }, in which names are declared.
  struct Scope {
    unsigned Parent = 0;
    llvm::StringMap<Entity> Names;         ///< registers and variables
    llvm::StringMap<RegisterRange> Ranges; ///< %r<20>: %r → its registers
    llvm::StringMap<unsigned> Labels;
  };

  bool registers();
  bool pragma();
  bool label(llvm::StringRef Name, Position At);
  bool guarded();
  bool instruction(llvm::StringRef Opcode, Position At, const char *Begin);
  bool operand(Operand &O, unsigned Depth);
  bool primary(Operand &O, unsigned Depth);
  bool named(Operand &O);
  bool offset(Operand &O);
  bool isPredicate(llvm::StringRef Name, Operand &Guard) const;
  bool lookUp(llvm::StringRef Name, Operand &O) const;
  void resolveLabels(Operand &O);

  std::vector<Scope> Scopes;
  unsigned Current = 0; ///< index of the innermost block's scope
  unsigned Depth = 0;
  unsigned RegisterCount = 0;
  Names Allowed = Names::Declared;
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_STATEMENTPARSER_H
