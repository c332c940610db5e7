//===- Lexer.h - Lexer of PTX -----------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_LEXER_H
#define GMPROF_PTX_LEXER_H

#include "Syntax.h"

namespace gmprof::ptx {

struct Token {
  enum class Kind : uint8_t {
    Identifier, ///< add, %tid, $L__BB0_1
    Name,       ///< Text after a dot: f32 of .f32, L1::evict_last
    Integer,    ///< Bits
    Float,      ///< Bits, FloatWidth; 7.8 of .version too
    String,     ///< Text without quotes
    Punctuator, ///< Text is one character
    End,
    Invalid, ///< Text says what is wanted in its place
  };
  Kind K = Kind::End;
  llvm::StringRef Text;
  uint64_t Bits = 0;
  uint8_t FloatWidth = 0;
  bool Adjacent = false; ///< no space before it
  const char *Begin = nullptr, *End = nullptr;
  Position At;

  bool is(char C) const { return K == Kind::Punctuator && Text[0] == C; }
};

/// Splits a PTX text into tokens, without comments. Any text is safe to pass.
class Lexer {
public:
  explicit Lexer(llvm::StringRef Text)
      : Next(Text.begin()), End(Text.end()), LineBegin(Text.begin()) {}

  Token next();

private:
  bool skipSpace(Token &T);
  void number(Token &T);
  void invalid(Token &T, llvm::StringRef Wanted);
  char peek(size_t Offset = 0) const { return size_t(End - Next) > Offset ? Next[Offset] : '\0'; }

  const char *Next, *End, *LineBegin;
  unsigned Line = 1;
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_LEXER_H
