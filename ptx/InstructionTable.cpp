//===- InstructionTable.cpp - Table of modelled instructions --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gmprof::ptx {

std::vector<const Row *> allRows() {
  std::vector<const Row *> Rows;
  for (ArrayRef<Row> Part :
       {integerRows(), floatRows(), dataRows(), memoryRows(), synchronisationRows(), controlRows()})
    for (const Row &R : Part)
      Rows.push_back(&R);
  return Rows;
}

/// Returns whether a modifier is one of "a|b|%int".
static bool matchWord(StringRef Alternatives, StringRef Modifier) {
  constexpr StringRef Int = "u16|s16|u32|s32|u64|s64", Bits = "b16|b32|b64";
  constexpr StringRef Spaces =
      "global|shared|shared::cta|local|const|param|param::entry|param::func";
  while (!Alternatives.empty()) {
    StringRef First;
    std::tie(First, Alternatives) = Alternatives.split('|');
    bool Match = false;
    if (First == "%int")
      Match = matchWord(Int, Modifier);
    else if (First == "%bits")
      Match = matchWord(Bits, Modifier);
    else if (First == "%small")
      Match = matchWord("b8|u8|s8", Modifier) || matchWord(Int, Modifier);
    else if (First == "%data")
      Match = matchWord("%small|%bits|f32|f64", Modifier);
    else if (First == "%space")
      Match = matchWord(Spaces, Modifier);
    else
      Match = First == Modifier;
    if (Match)
      return true;
  }
  return false;
}

bool matchModifiers(StringRef Pattern, ArrayRef<StringRef> Modifiers) {
  while (!Pattern.empty()) {
    StringRef Word;
    std::tie(Word, Pattern) = Pattern.split(' ');
    bool Optional = Word.consume_front("[");
    Word.consume_back("]");
    if (!Modifiers.empty() && matchWord(Word, Modifiers.front()))
      Modifiers = Modifiers.drop_front();
    else if (!Optional)
      return false;
  }
  return Modifiers.empty();
}

static bool isDestination(const Operand &O) {
  return (O.isRegister() || O.K == Operand::Kind::Sink) && O.Selector.empty() && !O.Negated;
}

static bool isValue(const Operand &O) {
  switch (O.K) {
  case Operand::Kind::Register:
  case Operand::Kind::Variable:
  case Operand::Kind::Symbol:
  case Operand::Kind::Special:
  case Operand::Kind::Integer:
  case Operand::Kind::Float:
    return O.Selector.empty();
  default:
    return false;
  }
}

static bool matchOperand(char Letter, const Operand &O) {
  switch (Letter) {
  case 'd':
    return isDestination(O);
  case 'D':
    return isDestination(O) || (O.K == Operand::Kind::Vector && all_of(O.Parts, isDestination));
  case 'v':
    return isValue(O);
  case 'V':
    return isValue(O) || (O.K == Operand::Kind::Vector && all_of(O.Parts, isValue));
  case 'a':
    return O.K == Operand::Kind::Address && O.Parts.size() == 1 && isValue(O.Parts[0]) &&
           O.Parts[0].K != Operand::Kind::Special;
  case 'p':
    return isDestination(O) || (O.K == Operand::Kind::Pair && all_of(O.Parts, isDestination));
  case 'l':
    return O.K == Operand::Kind::Label;
  default:
    return true;
  }
}

bool matchOperands(StringRef Pattern, ArrayRef<Operand> Operands) {
  while (!Pattern.empty()) {
    char Letter = Pattern[0];
    Pattern = Pattern.drop_front();
    bool Optional = Pattern.consume_front("?");
    if (Operands.empty()) {
      if (!Optional)
        return false;
      continue;
    }
    if (!matchOperand(Letter, Operands.front()))
      return false;
    Operands = Operands.drop_front();
  }
  return Operands.empty();
}

static const StringMap<std::vector<const Row *>> &rowsByOpcode() {
  static const StringMap<std::vector<const Row *>> ByOpcode = [] {
    StringMap<std::vector<const Row *>> Map;
    for (const Row *R : allRows())
      Map[R->Opcode].push_back(R);
    return Map;
  }();
  return ByOpcode;
}

bool hasRow(StringRef Opcode) { return rowsByOpcode().contains(Opcode); }

const Row *findRow(const Instruction &I) {
  auto Found = rowsByOpcode().find(I.Opcode);
  if (Found == rowsByOpcode().end())
    return nullptr;
  for (const Row *R : Found->second)
    if (matchModifiers(R->Modifiers, I.Modifiers) && matchOperands(R->Operands, I.Operands))
      return R;
  return nullptr;
}

} // namespace gmprof::ptx
