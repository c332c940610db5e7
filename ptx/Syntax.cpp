//===- Syntax.cpp - Syntax tree of a PTX module ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gmprof::ptx {

std::optional<Type> typeNamed(StringRef Name) {
  if (Name == "pred")
    return Type{TypeKind::Predicate, 1, 1};
  uint8_t Elements = 1;
  StringRef Scalar = Name;
  if (Scalar.consume_back("x2"))
    Elements = 2;
  std::optional<Type> T = StringSwitch<std::optional<Type>>(Scalar)
                              .Case("b8", Type{TypeKind::Bits, 1, 8})
                              .Case("b16", Type{TypeKind::Bits, 1, 16})
                              .Case("b32", Type{TypeKind::Bits, 1, 32})
                              .Case("b64", Type{TypeKind::Bits, 1, 64})
                              .Case("b128", Type{TypeKind::Bits, 1, 128})
                              .Case("u8", Type{TypeKind::Unsigned, 1, 8})
                              .Case("u16", Type{TypeKind::Unsigned, 1, 16})
                              .Case("u32", Type{TypeKind::Unsigned, 1, 32})
                              .Case("u64", Type{TypeKind::Unsigned, 1, 64})
                              .Case("s8", Type{TypeKind::Signed, 1, 8})
                              .Case("s16", Type{TypeKind::Signed, 1, 16})
                              .Case("s32", Type{TypeKind::Signed, 1, 32})
                              .Case("s64", Type{TypeKind::Signed, 1, 64})
                              .Case("f16", Type{TypeKind::Float, 1, 16})
                              .Case("f32", Type{TypeKind::Float, 1, 32})
                              .Case("f64", Type{TypeKind::Float, 1, 64})
                              .Case("bf16", Type{TypeKind::BFloat, 1, 16})
                              .Default(std::nullopt);
  if (T && Elements == 2) {
    bool Packed = Scalar == "f16" || Scalar == "bf16" || Scalar == "u16" || Scalar == "s16" ||
                  Scalar == "f32";
    if (!Packed)
      return std::nullopt;
    T->Elements = 2;
  }
  return T;
}

std::optional<Space> spaceNamed(StringRef Name) {
  return StringSwitch<std::optional<Space>>(Name)
      .Case("global", Space::Global)
      .Cases({"shared", "shared::cta"}, Space::Shared)
      .Case("const", Space::Const)
      .Case("local", Space::Local)
      .Cases({"param", "param::entry", "param::func"}, Space::Param)
      .Default(std::nullopt);
}

std::string Instruction::name() const {
  std::string Name = Opcode.str();
  for (StringRef M : Modifiers)
    Name += "." + M.str();
  return Name;
}

} // namespace gmprof::ptx
