//===- AssemblyStatements.cpp - Statements of inline PTX ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyStatements.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gmprof;

/// Splits at commas outside of braces, brackets and parentheses.
static void splitOperands(StringRef Text, SmallVectorImpl<StringRef> &Operands) {
  unsigned Depth = 0;
  size_t Start = 0;
  for (size_t I = 0; I <= Text.size(); ++I) {
    if (I == Text.size() || (Text[I] == ',' && Depth == 0)) {
      if (StringRef Operand = Text.slice(Start, I).trim(); !Operand.empty())
        Operands.push_back(Operand);
      Start = I + 1;
    } else if (StringRef("{[(").contains(Text[I])) {
      ++Depth;
    } else if (StringRef("}])").contains(Text[I]) && Depth) {
      --Depth;
    }
  }
}

AssemblyStatement gmprof::parseStatement(StringRef Text) {
  AssemblyStatement S;
  Text = Text.trim();
  StringRef Name =
      Text.take_while([](char C) { return isAlnum(C) || C == '_' || C == '$' || C == '%'; });
  StringRef AfterName = Text.drop_front(Name.size());
  if (!Name.empty() && AfterName.starts_with(":") && !AfterName.starts_with("::")) {
    S.HasLabel = true;
    Text = AfterName.drop_front().ltrim();
  }
  if (Text.consume_front("@")) {
    S.Inverted = Text.consume_front("!");
    S.Predicate = Text.take_until(isSpace);
    Text = Text.drop_front(S.Predicate.size()).ltrim();
  }
  StringRef Mnemonic = Text.take_until(isSpace);
  splitOperands(Text.drop_front(Mnemonic.size()), S.Operands);
  SmallVector<StringRef, 8> Parts;
  Mnemonic.split(Parts, '.');
  S.Opcode = Parts.front();
  S.Modifiers.assign(Parts.begin() + 1, Parts.end());
  return S;
}

std::string gmprof::withoutComments(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    if (Text.starts_with("//")) {
      Text = Text.drop_until([](char C) { return C == '\n'; });
    } else if (Text.starts_with("/*")) {
      size_t End = Text.find("*/", 2);
      Text = Text.drop_front(End == StringRef::npos ? Text.size() : End + 2);
      Result += ' ';
    } else {
      Result += Text.front();
      Text = Text.drop_front();
    }
  }
  return Result;
}

void gmprof::splitStatements(StringRef Text, SmallVectorImpl<StringRef> &Statements) {
  SmallVector<StringRef, 8> Pieces;
  Text.split(Pieces, ';');
  for (StringRef Piece : Pieces) {
    Piece = Piece.trim();
    while (Piece.consume_front("{") || Piece.consume_front("}"))
      Piece = Piece.ltrim();
    if (!Piece.empty())
      Statements.push_back(Piece);
  }
}
