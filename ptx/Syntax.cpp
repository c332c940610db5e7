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
  using K = TypeKind;
  return StringSwitch<std::optional<Type>>(Name)
      .Case("pred", Type{K::Predicate, 1, 1})
      .Case("b1", Type{K::Bits, 1, 1})
      .Case("b8", Type{K::Bits, 1, 8})
      .Case("b16", Type{K::Bits, 1, 16})
      .Case("b32", Type{K::Bits, 1, 32})
      .Case("b64", Type{K::Bits, 1, 64})
      .Case("b128", Type{K::Bits, 1, 128})
      .Case("u8", Type{K::Unsigned, 1, 8})
      .Case("u16", Type{K::Unsigned, 1, 16})
      .Case("u32", Type{K::Unsigned, 1, 32})
      .Case("u64", Type{K::Unsigned, 1, 64})
      .Case("u16x2", Type{K::Unsigned, 2, 16})
      .Case("s8", Type{K::Signed, 1, 8})
      .Case("s16", Type{K::Signed, 1, 16})
      .Case("s32", Type{K::Signed, 1, 32})
      .Case("s64", Type{K::Signed, 1, 64})
      .Case("s16x2", Type{K::Signed, 2, 16})
      .Case("f16", Type{K::Float, 1, 16})
      .Case("f16x2", Type{K::Float, 2, 16})
      .Case("f32", Type{K::Float, 1, 32})
      .Case("f32x2", Type{K::Float, 2, 32})
      .Case("f64", Type{K::Float, 1, 64})
      .Case("bf16", Type{K::BFloat, 1, 16})
      .Case("bf16x2", Type{K::BFloat, 2, 16})
      .Case("tf32", Type{K::TF32, 1, 32})
      .Cases({"e4m3", "e5m2"}, Type{K::Narrow, 1, 8})
      .Cases({"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "ue8m0x2"}, Type{K::Narrow, 2, 8})
      .Case("e2m1x2", Type{K::Narrow, 2, 4})
      .Default(std::nullopt);
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
