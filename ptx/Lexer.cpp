//===- Lexer.cpp - Lexer of PTX -------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <cmath>

using namespace llvm;

namespace gmprof::ptx {

static bool isNamePart(char C) { return isAlnum(C) || C == '_' || C == '$'; }

void Lexer::invalid(Token &T, StringRef Wanted) {
  T.K = Token::Kind::Invalid;
  T.Text = Wanted;
  T.End = Next;
  Next = End;
}

/// Skips spaces and comments. Returns false after an error.
bool Lexer::skipSpace(Token &T) {
  while (Next != End) {
    if (*Next == '\n') {
      ++Line;
      LineBegin = ++Next;
    } else if (*Next == ' ' || *Next == '\t' || *Next == '\r' || *Next == '\f' || *Next == '\v') {
      ++Next;
    } else if (*Next == '/' && peek(1) == '/') {
      while (Next != End && *Next != '\n')
        ++Next;
    } else if (*Next == '/' && peek(1) == '*') {
      T.At = {Line, unsigned(Next - LineBegin) + 1};
      Next += 2;
      while (Next != End && !(*Next == '*' && peek(1) == '/')) {
        if (*Next == '\n') {
          ++Line;
          LineBegin = Next + 1;
        }
        ++Next;
      }
      if (Next == End) {
        T.Begin = Next;
        invalid(T, "'*/' at the end of the comment");
        return false;
      }
      Next += 2;
    } else {
      return true;
    }
    T.Adjacent = false;
  }
  return true;
}

/// Reads 12, 0x1F, 017, 0b11, each with U after it; 0f3F800000, 0d3FF0000000000000, 1.5, 1e5.
void Lexer::number(Token &T) {
  const char *Begin = Next;
  while (Next != End && isNamePart(*Next))
    ++Next;
  StringRef Text(Begin, Next - Begin);
  if (Text.starts_with_insensitive("0f") || Text.starts_with_insensitive("0d")) {
    bool Single = toLower(Text[1]) == 'f';
    T.K = Token::Kind::Float;
    T.FloatWidth = Single ? 32 : 64;
    if (Text.size() != (Single ? 10 : 18) || Text.drop_front(2).getAsInteger(16, T.Bits))
      invalid(T, Single ? "8 hexadecimal digits after 0f" : "16 hexadecimal digits after 0d");
    return;
  }
  bool Decimal = peek() == '.' && isDigit(peek(1));
  bool Exponent = !Text.starts_with("0x") && !Text.starts_with("0X") &&
                  Text.find_first_of("eE") != StringRef::npos;
  if (Decimal || Exponent) {
    if (Decimal) {
      ++Next;
      while (Next != End && isNamePart(*Next))
        ++Next;
    }
    if ((Next[-1] == 'e' || Next[-1] == 'E') && (peek() == '+' || peek() == '-')) {
      ++Next;
      while (Next != End && isDigit(*Next))
        ++Next;
    }
    T.Text = StringRef(Begin, Next - Begin);
    double Value = 0;
    if (T.Text.size() > 64 || T.Text.getAsDouble(Value) || !std::isfinite(Value))
      return invalid(T, "a floating-point number");
    T.K = Token::Kind::Float;
    T.FloatWidth = 64;
    T.Bits = std::bit_cast<uint64_t>(Value);
    return;
  }
  T.K = Token::Kind::Integer;
  Text.consume_back("U");
  unsigned Radix = 10;
  if (Text.consume_front("0x") || Text.consume_front("0X"))
    Radix = 16;
  else if (Text.consume_front("0b") || Text.consume_front("0B"))
    Radix = 2;
  else if (Text.size() > 1 && Text[0] == '0')
    Radix = 8;
  if (Text.getAsInteger(Radix, T.Bits))
    invalid(T, "a number of at most 64 bits");
}

Token Lexer::next() {
  Token T;
  T.Adjacent = true;
  if (!skipSpace(T))
    return T;
  T.At = {Line, unsigned(Next - LineBegin) + 1};
  T.Begin = Next;
  if (Next == End) {
    T.End = Next;
    return T;
  }
  char C = *Next;
  if (isDigit(C)) {
    number(T);
  } else if (isNamePart(C) || C == '%') {
    T.K = Token::Kind::Identifier;
    do
      ++Next;
    while (Next != End && isNamePart(*Next));
  } else if (C == '.' && isNamePart(peek(1))) {
    T.K = Token::Kind::Name;
    ++Next;
    while (Next != End && (isNamePart(*Next) || (*Next == ':' && peek(1) == ':')))
      Next += *Next == ':' ? 2 : 1;
    T.Text = StringRef(T.Begin + 1, Next - T.Begin - 1);
  } else if (C == '"') {
    T.K = Token::Kind::String;
    ++Next;
    while (Next != End && *Next != '"' && *Next != '\n')
      Next += *Next == '\\' && peek(1) && peek(1) != '\n' ? 2 : 1;
    if (peek() != '"')
      invalid(T, "'\"' at the end of the string");
    else
      T.Text = StringRef(T.Begin + 1, Next++ - T.Begin - 1);
  } else if (StringRef(",;:@!+-|<>{}[]()=").contains(C)) {
    T.K = Token::Kind::Punctuator;
    ++Next;
  } else {
    ++Next;
    invalid(T, "a name, a number or punctuation");
  }
  if (T.K != Token::Kind::Invalid)
    T.End = Next;
  if (T.Text.empty() && T.K != Token::Kind::String)
    T.Text = StringRef(T.Begin, T.End - T.Begin);
  return T;
}

} // namespace gmprof::ptx
