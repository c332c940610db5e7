//===- Lexer.h - Lexer of inline PTX ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_PTX_LEXER_H
#define GMPROF_CPU_PTX_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace gmprof::cpu::ptx {

struct Token {
  enum class Kind : uint8_t {
    Identifier, ///< add, %tid, BB0_1; also parts of names that start with a digit
    Integer,    ///< Bits
    Float,      ///< Bits, FloatWidth
    Argument,   ///< $3: Bits is its number
    String,     ///< "…", in directives
    Dot,
    Comma,
    Semicolon,
    Colon,
    At,
    Exclamation,
    Plus,
    Minus,
    Bar,
    Less,
    Greater,
    LeftBrace,
    RightBrace,
    LeftBracket,
    RightBracket,
    LeftParen,
    RightParen,
    End,
    Invalid, ///< Text describes the error
  };
  Kind K = Kind::End;
  std::string Text;
  uint64_t Bits = 0;
  unsigned FloatWidth = 0;
  unsigned Line = 1;
  size_t Begin = 0, End = 0; ///< position in the template
};

class Lexer {
public:
  Lexer(std::string_view Template, unsigned UniqueId) : Text(Template), UniqueId(UniqueId) {}

  Token next();

  /// Reads a modifier's or directive's name after its dot. It may start with a digit and contain
  /// "::", as in .L1::evict_last.
  Token nextName();

private:
  bool skipSpace();
  bool identifierPart(std::string &Out);
  Token number();
  Token argument();
  Token make(Token::Kind K, size_t Length);
  Token invalid(std::string Why);
  char at(size_t Offset) const { return Pos + Offset < Text.size() ? Text[Pos + Offset] : '\0'; }

  std::string_view Text;
  unsigned UniqueId;
  size_t Pos = 0;
  unsigned Line = 1;
};

} // namespace gmprof::cpu::ptx

#endif // GMPROF_CPU_PTX_LEXER_H
