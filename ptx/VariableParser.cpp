//===- VariableParser.cpp - Parser of PTX variables -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleParser.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gmprof::ptx {

static constexpr unsigned MaxDimensions = 8;
static constexpr uint64_t MaxVariableBytes = uint64_t(1) << 40;

/// Reads .align 4 .v2 .b32 and attributes, up to the name.
bool ModuleParser::variableType(Variable &V) {
  bool Typed = false;
  unsigned Vector = 1;
  while (T.K == Token::Kind::Name) {
    if (T.Text == "align") {
      advance();
      unsigned Align = 0;
      if (T.K == Token::Kind::Integer && !isPowerOf2_64(T.Bits))
        return expected("a power of two");
      if (unsignedNumber(Align, "a power of two"))
        return true;
      V.Align = Align;
      continue;
    }
    if (T.Text == "attribute") {
      advance();
      if (parenthesised())
        return true;
      continue;
    }
    if (T.Text == "v2" || T.Text == "v4" || T.Text == "v8") {
      Vector = T.Text[1] - '0';
    } else if (T.Text == "ptr" || spaceNamed(T.Text)) {
      // .ptr .global: what the parameter points to, which the driver does not use.
    } else if (std::optional<Type> Ty = typeNamed(T.Text)) {
      if (!Ty->isHeld() || Ty->Kind == TypeKind::Predicate)
        return expected("a type with a size in memory");
      V.Ty = *Ty;
      Typed = true;
    } else {
      return expected("a type");
    }
    advance();
  }
  if (!Typed)
    return expected("a type");
  if (Vector > 1) {
    V.Array = true;
    V.Count = Vector;
    if (!V.Align)
      V.Align = uint64_t(Vector) * V.Ty.bytes();
  }
  return false;
}

/// Reads a name and its dimensions: tile[16][17].
bool ModuleParser::variableName(Variable &V, SmallVectorImpl<uint64_t> &Dimensions) {
  V.At = T.At;
  if (identifier(V.Name, "the name of a variable"))
    return true;
  while (T.is('[')) {
    if (Dimensions.size() == MaxDimensions)
      return expected("at most " + Twine(MaxDimensions) + " dimensions");
    advance();
    uint64_t Size = 0;
    if (T.K == Token::Kind::Integer) {
      Size = T.Bits;
      advance();
    } else if (!Dimensions.empty()) {
      return expected("the size of the dimension");
    }
    if (expect(']', "after the size"))
      return true;
    Dimensions.push_back(Size);
  }
  uint64_t Count = V.Count;
  for (uint64_t Size : Dimensions) {
    bool Overflow = false;
    Count = SaturatingMultiply(Count, Size, &Overflow);
    if (Overflow || Count > MaxVariableBytes)
      return error(V.At, "expected at most 2^40 elements in '" + V.Name + "'");
  }
  V.Array |= !Dimensions.empty();
  V.Count = Count;
  return false;
}

bool ModuleParser::initialiserValue(Initialiser &I) {
  I.At = T.At;
  bool Minus = accept('-');
  if (T.K == Token::Kind::Integer || T.K == Token::Kind::Float) {
    I.Bits = T.Bits;
    I.FloatWidth = T.FloatWidth;
    advance();
    if (!I.FloatWidth && T.is('(')) { // a mask
      advance();
      I.Mask = I.Bits;
      I.Bits = 0;
      if (T.K != Token::Kind::Identifier)
        return expected("the name of a variable or function");
      return initialiserValue(I) || expect(')', "after the masked address");
    }
    if (Minus)
      I.Bits = I.FloatWidth ? I.Bits ^ (uint64_t(1) << (I.FloatWidth - 1)) : 0 - I.Bits;
    return false;
  }
  if (Minus || identifier(I.Symbol, "a value"))
    return expected("a number");
  if (I.Symbol == "generic" && T.is('(')) {
    advance();
    I.Generic = true;
    if (identifier(I.Symbol, "the name of a variable"))
      return true;
    if (accept('+')) {
      I.Bits = T.Bits;
      if (T.K != Token::Kind::Integer)
        return expected("an offset");
      advance();
    }
    if (expect(')', "after generic"))
      return true;
  }
  if (T.is('+') || T.is('-')) {
    bool Negative = T.is('-');
    advance();
    if (T.K != Token::Kind::Integer)
      return expected("an offset");
    I.Bits += Negative ? 0 - T.Bits : T.Bits;
    advance();
  }
  return false;
}

/// Reads a value or { … }. Element is where its first element is; afterwards, where the next is.
bool ModuleParser::initialiser(Variable &V, ArrayRef<uint64_t> Dimensions, unsigned Level,
                               uint64_t &Element) {
  if (!T.is('{')) {
    Initialiser I;
    if (initialiserValue(I))
      return true;
    I.Element = Element++;
    V.Values.push_back(I);
    return false;
  }
  if (Level > MaxDimensions)
    return expected("at most " + Twine(MaxDimensions) + " nested braces in an initialiser");
  advance();
  uint64_t Begin = Element;
  while (!T.is('}')) {
    if (initialiser(V, Dimensions, Level + 1, Element))
      return true;
    if (!accept(','))
      break;
  }
  if (expect('}', "at the end of the initialiser"))
    return true;
  if (Level > 0) {
    uint64_t Stride = 1;
    for (uint64_t Size : Dimensions.drop_front(std::min<size_t>(Level, Dimensions.size())))
      Stride *= Size; // at most MaxVariableBytes
    Element = std::max(Element, Begin + Stride);
  }
  return false;
}

bool ModuleParser::variables(Space In, Linkage Link, std::vector<Variable> &Out) {
  Variable V;
  V.In = In;
  V.Link = Link;
  if (variableType(V))
    return true;
  do {
    Variable Each = V;
    SmallVector<uint64_t, 4> Dimensions;
    if (variableName(Each, Dimensions))
      return true;
    if (accept('=')) {
      Each.Initialised = true;
      uint64_t Element = 0;
      if (initialiser(Each, Dimensions, 0, Element))
        return true;
      if (Each.Array && !Each.Count)
        Each.Count = Element;
      if (Element > Each.Count)
        return error(Each.At,
                     "expected at most " + Twine(Each.Count) + " values for '" + Each.Name + "'");
    }
    Out.push_back(std::move(Each));
  } while (accept(','));
  return expect(';', "after the declaration");
}

/// Reads (.param .u64 name, …); a prototype's names are _.
bool ModuleParser::parameters(std::vector<Variable> &Out, const Twine &What) {
  if (expect('(', "before " + What))
    return true;
  while (!T.is(')')) {
    if (!isName("param"))
      return expected("'.param' of " + What);
    advance();
    Variable V;
    SmallVector<uint64_t, 2> Dimensions;
    if (variableType(V) || variableName(V, Dimensions))
      return true;
    Out.push_back(V);
    if (!accept(','))
      break;
  }
  return expect(')', "after " + What);
}

} // namespace gmprof::ptx
