//===- Syntax.h - Syntax of inline PTX --------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsed PTX of an asm statement, with names resolved: registers and labels are numbers, scopes are
// gone. The text is an LLVM asm template: $0, ${0} and ${0:q} are operands, $$ is a dollar sign and
// ${:uid} a number unique to the asm statement.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_PTX_SYNTAX_H
#define GMPROF_CPU_PTX_SYNTAX_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gmprof::cpu::ptx {

enum class TypeKind : uint8_t {
  Bits,     ///< .b8 … .b128
  Unsigned, ///< .u8 … .u64, .u16x2
  Signed,   ///< .s8 … .s64, .s16x2
  Float,    ///< .f16, .f16x2, .f32, .f32x2, .f64
  BFloat,   ///< .bf16, .bf16x2
  Pred,     ///< .pred
  TF32,     ///< .tf32
  Narrow,   ///< .e4m3x2 and other formats below 16 bits; distinguished by name
};

/// Fundamental or packed type. Bits is the size of one element.
struct Type {
  TypeKind Kind = TypeKind::Bits;
  unsigned Bits = 0;
  unsigned Elements = 1;
  std::string_view Name; ///< as in the source, without the dot

  unsigned totalBits() const { return Bits * Elements; }
  bool isFloat() const { return Kind == TypeKind::Float || Kind == TypeKind::BFloat; }
  bool isInteger() const {
    return Kind == TypeKind::Bits || Kind == TypeKind::Unsigned || Kind == TypeKind::Signed;
  }
  bool isSigned() const { return Kind == TypeKind::Signed; }
};

/// Returns the type called Name ("u32", "f16x2"), if there is one.
std::optional<Type> typeNamed(std::string_view Name);

struct Operand {
  enum class Kind : uint8_t {
    Register, ///< Index
    Argument, ///< operand Index of the asm statement
    Integer,  ///< Bits
    Float,    ///< Bits; FloatWidth is 32 or 64
    Special,  ///< Name, without the percent sign: tid.x
    Label,    ///< Index
    Sink,     ///< _
    Vector,   ///< {Parts}
    Pair,     ///< Parts[0] | Parts[1]
    Address,  ///< [Parts[0] + Bits + argument Offset], then any further Parts
  };
  Kind K = Kind::Integer;
  unsigned Index = 0;
  unsigned FloatWidth = 0;
  bool Negated = false; ///< !p
  uint64_t Bits = 0;
  std::optional<unsigned> Offset; ///< asm operand added to an address
  std::string Name;               ///< name of a special register
  std::string Selector;           ///< x of r.x, b0 of r.b0
  std::vector<Operand> Parts;
};

struct Instruction {
  std::optional<Operand> Guard; ///< @p, @!p
  std::string Opcode;
  std::vector<std::string> Modifiers; ///< without dots
  std::vector<Operand> Operands;
  std::string Text; ///< as in the source, for messages
};

struct Register {
  std::string Name;
  Type Ty;
};

struct Program {
  std::vector<Register> Registers;
  std::vector<Instruction> Instructions;
  std::vector<size_t> Labels; ///< index of the instruction after each label
};

struct SyntaxError {
  unsigned Line;       ///< line of the asm statement, from 1
  std::string Message; ///< one line
};

/// Parses the template of an asm statement with ArgumentCount operands. UniqueId replaces ${:uid}.
/// Any text is safe to pass.
std::variant<Program, SyntaxError> parse(std::string_view Template, unsigned ArgumentCount,
                                         unsigned UniqueId);

} // namespace gmprof::cpu::ptx

#endif // GMPROF_CPU_PTX_SYNTAX_H
