//===- Syntax.h - Syntax tree of a PTX module -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of a PTX module (PTX ISA 9.0), with names of registers, labels and local
// variables resolved to indices. Names refer to the text, which must outlive the tree.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_SYNTAX_H
#define GMPROF_PTX_SYNTAX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::ptx {

enum class TypeKind : uint8_t {
  Bits,     ///< .b8 … .b128; .b1 of matrix instructions
  Unsigned, ///< .u8 … .u64, .u16x2
  Signed,   ///< .s8 … .s64, .s16x2
  Float,    ///< .f16, .f16x2, .f32, .f32x2, .f64
  BFloat,   ///< .bf16, .bf16x2
  Predicate,
  TF32,   ///< of an instruction; a register has .b32
  Narrow, ///< .e4m3x2 and other formats below 16 bits, of an instruction
};

/// Type of a register, variable or instruction. Bits is the size of one element.
struct Type {
  TypeKind Kind = TypeKind::Bits;
  uint8_t Elements = 1;
  uint16_t Bits = 0;

  unsigned totalBits() const { return Bits * Elements; }
  /// Returns the size in memory, which a predicate lacks.
  unsigned bytes() const { return totalBits() / 8; }
  bool isFloat() const { return Kind == TypeKind::Float || Kind == TypeKind::BFloat; }
  bool isSigned() const { return Kind == TypeKind::Signed; }
  bool isInteger() const { return Kind <= TypeKind::Signed; }
  /// Returns whether registers have the type.
  bool isHeld() const { return Kind < TypeKind::TF32 && (Bits > 1 || Kind == TypeKind::Predicate); }
};

/// Returns the type that a directive or modifier names ("u32", "f16x2").
std::optional<Type> typeNamed(llvm::StringRef Name);

/// Position in the text, from 1.
struct Position {
  unsigned Line = 0, Column = 0;
};

enum class Space : uint8_t { Generic, Global, Shared, Const, Local, Param };

/// Returns the state space that a directive or modifier names ("global", "shared::cta").
std::optional<Space> spaceNamed(llvm::StringRef Name);

struct Operand {
  enum class Kind : uint8_t {
    Register, ///< Index into Function::Registers
    Variable, ///< Index into Function::Variables
    Label,    ///< Index into Function::Labels
    Symbol,   ///< Name of a variable or function of the module
    Special,  ///< Name of a special register: %tid.x
    Integer,  ///< Bits
    Float,    ///< Bits, FloatWidth
    Sink,     ///< _
    Vector,   ///< {Parts}
    Pair,     ///< Parts[0] | Parts[1]
    Address,  ///< [Parts[0] + Bits], then any further Parts
    List,     ///< (Parts)
  };
  Kind K = Kind::Sink;
  bool Negated = false;   ///< !p
  uint8_t FloatWidth = 0; ///< 32 or 64
  unsigned Index = 0;
  unsigned Scope = 0;       ///< block of a symbol, where its label is looked up
  uint64_t Bits = 0;        ///< value; of a symbol, variable or address, the added bytes
  llvm::StringRef Name;     ///< as in the text
  llvm::StringRef Selector; ///< x of r.x, b0 of r.b0
  std::vector<Operand> Parts;

  bool isRegister() const { return K == Kind::Register; }
  /// Returns true for {r}, which is r.
  bool isBraced() const { return K == Kind::Vector && Parts.size() == 1; }
};

/// A .loc directive.
struct SourceLine {
  unsigned File = 0, Line = 0, Column = 0;
  bool Inlined = false;
  std::string Function;                          ///< the inlined function
  unsigned AtFile = 0, AtLine = 0, AtColumn = 0; ///< of the call
  Position At;
};

struct Instruction {
  std::optional<Operand> Guard; ///< @p, @!p
  llvm::StringRef Opcode;
  llvm::SmallVector<llvm::StringRef, 6> Modifiers; ///< without dots
  std::vector<Operand> Operands;
  Position At;
  llvm::StringRef Text; ///< as in the text, without ';'
  int Line = -1;        ///< index into Function::Lines

  bool has(llvm::StringRef Modifier) const { return llvm::is_contained(Modifiers, Modifier); }
  /// Returns "add.rn.f32".
  std::string name() const;
};

/// Element of an initialiser.
struct Initialiser {
  uint64_t Element = 0; ///< index of the array's element
  uint64_t Bits = 0;    ///< value, or bytes added to the symbol's address
  uint8_t FloatWidth = 0;
  bool Generic = false;   ///< generic(Symbol)
  uint64_t Mask = 0;      ///< 0xFF00(Symbol): the byte of the address; 0 without
  llvm::StringRef Symbol; ///< empty for a number
  Position At;
};

enum class Linkage : uint8_t { Internal, Extern, Visible, Weak, Common };

/// Variable or parameter.
struct Variable {
  llvm::StringRef Name;
  Space In = Space::Param;
  Type Ty;
  Linkage Link = Linkage::Internal;
  bool Array = false;
  uint64_t Count = 1; ///< elements; 0 for an array of unknown size
  uint64_t Align = 0; ///< bytes; 0 for the type's own
  bool Initialised = false;
  std::vector<Initialiser> Values;
  Position At;

  uint64_t bytes() const { return Count * Ty.bytes(); }
  uint64_t alignment() const { return Align ? Align : std::max(1u, Ty.bytes()); }
};

/// Parameters and results of a function, or of a .callprototype.
struct Signature {
  std::vector<Variable> Results, Params;
};

struct Label {
  llvm::StringRef Name;
  bool NoUnroll = false;
  std::optional<Signature> Prototype;          ///< of .callprototype
  std::optional<std::vector<Operand>> Targets; ///< of .branchtargets and .calltargets
  bool isCode() const { return !Prototype && !Targets; }
};

/// One statement of a body: a label, or an instruction.
struct Statement {
  bool IsLabel = false;
  unsigned Index = 0; ///< into Function::Labels or Function::Instructions
};

struct Function {
  llvm::StringRef Name;
  bool Entry = false;
  bool Defined = false;
  bool NoReturn = false;
  Linkage Link = Linkage::Internal;
  Signature Sig;
  std::map<std::string, std::vector<unsigned>> Directives; ///< "maxntid": {256, 1, 1}
  std::vector<Type> Registers;
  std::vector<Variable> Variables; ///< Sig's results, its parameters, then declared ones
  std::vector<Label> Labels;
  std::vector<Instruction> Instructions;
  std::vector<Statement> Body;
  std::vector<SourceLine> Lines;
  Position At;
};

struct Module {
  unsigned Version = 0; ///< 10 * major + minor
  llvm::StringRef VersionText;
  llvm::StringRef Target;
  unsigned AddressSize = 64;
  std::map<unsigned, std::string> Files;
  std::vector<Variable> Variables;
  std::vector<Function> Functions;
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> Aliases;
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_SYNTAX_H
