//===- InstructionDecoder.cpp - Encodings of instructions -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"
#include "Operations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gmprof::sass {

uint32_t Instruction::bits(unsigned First, unsigned Count) const {
  uint64_t Value = First >= 64 ? High >> (First - 64) : Low >> First;
  if (First < 64 && First + Count > 64)
    Value |= High << (64 - First);
  return static_cast<uint32_t>(Value & maskTrailingOnes<uint64_t>(Count));
}

int32_t Instruction::signedBits(unsigned First, unsigned Count) const {
  return static_cast<int32_t>(SignExtend64(bits(First, Count), Count));
}

Guard Instruction::guard() const {
  constexpr unsigned AlwaysTrue = 7;
  if (bits(12, 3) != AlwaysTrue)
    return Guard::Predicate;
  return bit(15) ? Guard::Never : Guard::Always;
}

namespace {

/// A row of a table of operand sizes: what nvdisasm prints, and bytes per lane.
struct Width {
  StringLiteral Suffix;
  unsigned Bytes;
};

constexpr Width Widths[] = {{".U8", 1}, {".S8", 1}, {".U16", 2},  {".S16", 2},
                            {"", 4},    {".64", 8}, {".128", 16}, {".U.128", 16}};
constexpr Width IntegerAtomics[] = {{"", 4}, {".S32", 4}, {".64", 8}, {".S64", 8}, {".128", 16}};
/// Before sm_90, floats were operands of the same instructions.
constexpr Width AtomicsBeforeSm90[] = {
    {"", 4},          {".S32", 4}, {".64", 8},    {".F32.FTZ.RN", 4},
    {".F16x2.RN", 4}, {".S64", 8}, {".F64.RN", 8}};
constexpr Width FloatAtomics[] = {{".F16x2.RN", 4},
                                  {".F16x4.RN", 8},
                                  {".F16x8.RN", 16},
                                  {".BF16x2.RN", 4},
                                  {".BF16x4.RN", 8},
                                  {".BF16x8.RN", 16},
                                  {"", 0},
                                  {"", 0},
                                  {"", 0},
                                  {".F32.FTZ.RN", 4},
                                  {".F32x2.FTZ.RN", 8},
                                  {".F32x4.FTZ.RN", 16},
                                  {".F32.RN", 4},
                                  {".F32x2.RN", 8},
                                  {".F32x4.RN", 16},
                                  {".F64.RN", 8}};

/// Decodes one memory instruction.
class Decoder {
public:
  Decoder(const Instruction &I, const Operation &O, unsigned Architecture)
      : I(I), Architecture(Architecture) {
    // nvdisasm names it RED before sm_90.
    Result.Mnemonic = O.Name == "REDG" && Architecture < 90 ? "RED" : O.Name.str();
    Result.Space = O.Space;
    Result.Operation = O.Does;
    Result.Executes = I.guard();
    Known = decode(O);
  }

  std::optional<MemoryInstruction> take() {
    return Known ? std::optional(std::move(Result)) : std::nullopt;
  }

private:
  /// Returns false if a field has a value that is not known.
  bool decode(const Operation &O) {
    switch (O.Fields) {
    case Layout::Load:
      readAddress(/*UniformBit=*/32);
      if (ordered())
        readPolicy();
      else if (Result.Space == MemorySpace::Local)
        readEviction();
      else if (Architecture < 80 && I.bit(76))
        append(".U");
      if (Result.Space == MemorySpace::Global && I.bits(64, 4) != 0)
        requirePredicate();
      return width();
    case Layout::Store:
      readAddress(/*UniformBit=*/64);
      if (ordered())
        readPolicy();
      return width();
    case Layout::Atomic:
    case Layout::FloatAtomic:
      return atomic(O);
    case Layout::CompareAndSwap:
      return compareAndSwap();
    case Layout::AsyncCopy:
      return asyncCopy();
    case Layout::MatrixLoad:
      readAddress(/*UniformBit=*/32);
      return matrix();
    case Layout::MatrixStore:
      readAddress(/*UniformBit=*/64);
      return matrix();
    case Layout::Constant:
      readRegister();
      Result.Address.Offset = I.signedBits(38, 16);
      return width();
    case Layout::UniformConstant:
      if (I.bit(91))
        Result.Address.Uniform = uniform(24);
      Result.Address.Offset = I.signedBits(38, 16);
      return width();
    case Layout::Texture:
    case Layout::SurfacePixels:
      Result.Bytes = 4 * popcount(I.bits(72, 4));
      return true;
    case Layout::SurfaceBytes:
      return width();
    case Layout::SurfaceAtomic: {
      const unsigned Type = I.bits(73, 3);
      return bytesOf(integerAtomics(), Type).has_value() && setWidth(integerAtomics()[Type]);
    }
    case Layout::CacheControl:
      readRegister();
      Result.Address.Offset = I.signedBits(32, 32);
      return true;
    case Layout::Barrier:
      readAddress(/*UniformBit=*/64);
      Result.Bytes = 8;
      return true;
    case Layout::UniformBarrier:
      Result.Address.Uniform = uniform(24);
      Result.Address.Offset = I.signedBits(40, 24);
      Result.Bytes = 8;
      return true;
    case Layout::AsyncStore:
      readAddress(/*UniformBit=*/64);
      return width();
    case Layout::AsyncReduction: {
      readAddress(/*UniformBit=*/64);
      const unsigned Type = I.bits(73, 3);
      return bytesOf(integerAtomics(), Type).has_value() && setWidth(integerAtomics()[Type]);
    }
    case Layout::Bulk:
      if (I.bits(73, 2) == 3) // from shared memory to that of another block
        Result.Space = MemorySpace::DistributedShared;
      return true;
    case Layout::Descriptor:
      return true;
    }
    return false;
  }

  void append(StringRef Suffix) { Result.Mnemonic += Suffix; }

  /// Returns whether the space has 64-bit addresses, memory orders and eviction.
  bool ordered() const {
    return Result.Space == MemorySpace::Global || Result.Space == MemorySpace::Generic;
  }

  /// Records that a predicate operand decides which lanes access memory.
  void requirePredicate() {
    if (Result.Executes == Guard::Always)
      Result.Executes = Guard::Predicate;
  }

  std::optional<uint8_t> uniform(unsigned First) const {
    constexpr unsigned Zero = 63;
    const unsigned Register = I.bits(First, 6);
    return Register == Zero ? std::nullopt : std::optional<uint8_t>(Register);
  }

  void readRegister() {
    constexpr unsigned Zero = 255;
    if (const unsigned Register = I.bits(24, 8); Register != Zero)
      Result.Address.Register = Register;
  }

  /// Returns whether the uniform register is a descriptor of memory, and no part of the address.
  bool hasDescriptor(unsigned Bit) const { return ordered() && Architecture >= 80 && I.bit(Bit); }

  void readAddress(unsigned UniformBit, unsigned DescriptorBit = 76) {
    readRegister();
    // Generic loads and stores without a uniform register have 32 bits of offset.
    const bool Short = I.bit(91) || Result.Space != MemorySpace::Generic ||
                       Result.Operation == MemoryOperation::Atomic;
    Result.Address.Offset = Short ? I.signedBits(40, 24) : I.signedBits(32, 32);
    if (I.bit(91) && !hasDescriptor(DescriptorBit))
      Result.Address.Uniform = uniform(UniformBit);
    if (Result.Space == MemorySpace::Shared && Result.Operation != MemoryOperation::Barrier &&
        Result.Operation != MemoryOperation::MatrixLoad &&
        Result.Operation != MemoryOperation::MatrixStore)
      if (const unsigned Scale = I.bits(78, 2))
        Result.Address.Scale = 2 << Scale;
  }

  void readEviction() {
    switch (I.bits(84, 3)) {
    case 0:
      Result.InL1 = Eviction::First;
      return append(".EF");
    case 2:
      Result.InL1 = Eviction::Last;
      return append(".EL");
    case 3:
      Result.InL1 = Eviction::LastUse;
      return append(".LU");
    case 4:
      Result.InL1 = Eviction::Unchanged;
      return append(".EU");
    case 5:
      Result.InL1 = Eviction::NoAllocate;
      return append(".NA");
    default:
      return;
    }
  }

  void readOrder() {
    const unsigned Field = I.bits(77, 4);
    if (Architecture >= 80) {
      switch (Field) {
      case 4:
        Order = ".CONSTANT";
        Result.Order = MemoryOrder::Constant;
        return;
      case 5:
        Order = ".STRONG.SM";
        Result.Order = MemoryOrder::StrongBlock;
        return;
      case 7:
        Order = ".STRONG.GPU";
        Result.Order = MemoryOrder::StrongGpu;
        return;
      case 10:
        Order = ".STRONG.SYS";
        Result.Order = MemoryOrder::StrongSystem;
        return;
      case 12:
        Order = ".MMIO";
        Result.Order = MemoryOrder::Mmio;
        return;
      default:
        return;
      }
    }
    constexpr StringLiteral Scopes[] = {".CTA", ".SM", ".GPU", ".SYS"};
    const StringRef Scope = Scopes[Field & 3];
    switch (Field >> 2) {
    case 0:
      Order = (".CONSTANT" + Scope).str();
      Result.Order = MemoryOrder::Constant;
      return;
    case 1:
      Order = Scope.str();
      return;
    case 2:
      Order = (".STRONG" + Scope).str();
      Result.Order = (Field & 3) == 3   ? MemoryOrder::StrongSystem
                     : (Field & 3) == 2 ? MemoryOrder::StrongGpu
                                        : MemoryOrder::StrongBlock;
      return;
    default:
      Order = (".MMIO" + Scope).str();
      Result.Order = MemoryOrder::Mmio;
    }
  }

  void readPrefetch(unsigned Field) {
    if (Field == 0)
      return;
    Result.PrefetchBytes = 32 << Field;
    append((".LTC" + Twine(Result.PrefetchBytes) + "B").str());
  }

  /// Reads order, eviction and prefetching of an access to global or generic memory.
  void readPolicy() {
    if (I.bit(72))
      append(".E");
    readEviction();
    if (Result.Operation == MemoryOperation::Load)
      readPrefetch(I.bits(68, 2));
    readOrder();
  }

  bool setWidth(const Width &W) {
    append(W.Suffix);
    append(Order);
    Result.Bytes = W.Bytes;
    return W.Bytes != 0;
  }

  bool width() { return setWidth(Widths[I.bits(73, 3)]); }

  ArrayRef<Width> integerAtomics() const {
    return Architecture >= 90 ? ArrayRef(IntegerAtomics) : ArrayRef(AtomicsBeforeSm90);
  }

  static std::optional<unsigned> bytesOf(ArrayRef<Width> Table, unsigned Type) {
    return Type < Table.size() ? std::optional(Table[Type].Bytes) : std::nullopt;
  }

  bool atomic(const Operation &O) {
    readAddress(/*UniformBit=*/64, /*DescriptorBit=*/71);
    if (ordered()) {
      if (I.bit(72))
        append(".E");
      if (O.Does != MemoryOperation::Load)
        readEviction();
      readOrder();
    }
    // Bit 90 of a reduction says that the address has 64 bits.
    const unsigned Does = I.bits(87, O.Does == MemoryOperation::Reduction ? 3 : 4);
    const bool Float = O.Fields == Layout::FloatAtomic;
    append(Float ? floatOperation(Does) : integerOperation(Does));
    const ArrayRef<Width> Types = Float ? ArrayRef(FloatAtomics) : integerAtomics();
    const unsigned Type = I.bits(73, Float ? 4 : 3);
    return Type < Types.size() && setWidth(Types[Type]);
  }

  std::string integerOperation(unsigned Does) const {
    constexpr StringLiteral Names[] = {".ADD", ".MIN", ".MAX", ".INC", ".DEC",
                                       ".AND", ".OR",  ".XOR", ".EXCH"};
    if (Does < std::size(Names))
      return Names[Does].str();
    if (Does == (Architecture >= 90 ? 11 : 10))
      return ".POPC.INC.32";
    return Does == 9 ? ".ARRIVE" : (".OP" + Twine(Does)).str();
  }

  static std::string floatOperation(unsigned Does) {
    switch (Does) {
    case 0:
      return ".ADD";
    case 2:
      return ".MIN";
    case 4:
      return ".MAX";
    case 6:
      return ".ADD.ACC32"; // add.acc::f32
    default:
      return (".OP" + Twine(Does)).str();
    }
  }

  bool compareAndSwap() {
    readRegister();
    Result.Address.Offset = I.signedBits(40, 24);
    if (Result.Space == MemorySpace::Shared) {
      if (const unsigned Scale = I.bits(78, 2))
        Result.Address.Scale = 2 << Scale;
    } else {
      if (I.bit(72))
        append(".E");
      readEviction();
      readOrder();
    }
    append(I.bits(87, 2) == 3 ? ".CAST.SPIN" : ".CAS");
    const unsigned Type = I.bits(73, 3);
    return Type < integerAtomics().size() && setWidth(integerAtomics()[Type]);
  }

  bool asyncCopy() {
    readRegister();
    Result.Address.Offset = I.signedBits(32, 12);
    Result.Destination.Offset = I.signedBits(44, 20);
    if (const unsigned Register = I.bits(16, 8); Register != 255)
      Result.Destination.Register = Register;
    // The form of the operands tells to which address the uniform register belongs.
    if (I.bits(9, 3) == 6)
      Result.Destination.Uniform = uniform(64);
    else if (I.bit(91) && !hasDescriptor(76))
      Result.Address.Uniform = uniform(64);
    constexpr unsigned AlwaysTrue = 7;
    if (I.bits(87, 4) != AlwaysTrue)
      requirePredicate();
    append(".E");
    Result.Bypasses = !I.bit(81);
    if (Result.Bypasses)
      append(".BYPASS");
    readEviction();
    readPrefetch(I.bit(72) ? 2 : 0);
    readOrder();
    return width();
  }

  bool matrix() {
    const unsigned Count = 1 << I.bits(72, 2);
    append(I.bit(78) ? ".16.MT88" : ".16.M88");
    if (Count != 1)
      append(("." + Twine(Count)).str());
    Result.Bytes = 4 * Count;
    return Count <= 4;
  }

  const Instruction &I;
  const unsigned Architecture;
  MemoryInstruction Result;
  std::string Order; ///< the suffix behind that of the width
  bool Known = false;
};

} // namespace

std::optional<MemoryInstruction> decodeMemoryInstruction(const Instruction &I,
                                                         unsigned Architecture) {
  const Operation *O = memoryOperation(I);
  return O ? Decoder(I, *O, Architecture).take() : std::nullopt;
}

ControlFlow controlFlow(const Instruction &I, unsigned Architecture) {
  // Targets are relative to the next instruction, in bytes.
  const auto Relative = [&] {
    int64_t Words = SignExtend64<48>(uint64_t(I.bits(34, 30)) | uint64_t(I.bits(64, 18)) << 30);
    if (Architecture >= 90)
      Words = Words << 8 | I.bits(16, 8);
    return Words * 4 + Instruction::Bytes;
  };
  const unsigned Form = I.bits(9, 3);
  constexpr unsigned Collective = 1, Immediate = 4;
  switch (operation(I)) {
  case 0x147: // BRA
    return {true, Relative()};
  case 0x144: // CALL.REL
    return {true, Form == Immediate ? Relative() : 0};
  case 0x148: // WARPSYNC; its form COLLECTIVE states where the warp continues.
    return {true, Form == Collective ? Relative() : 0};
  case 0x145: // BSSY states where BSYNC continues.
    return {false, SignExtend64<30>(I.bits(34, 30)) * 4 + Instruction::Bytes};
  case 0x11b: // ENDCOLLECTIVE
  case 0x141: // BSYNC
  case 0x143: // CALL.ABS
  case 0x14d: // EXIT
  case 0x14f: // RTT
  case 0x150: // RET
  case 0x15b: // KILL
    return {true, 0};
  case 0x149: // BRX
  case 0x14a: // JMP
  case 0x14c: // JMX
  case 0x158: // BRXU
  case 0x159: // JMXU
    return {true, 0, true};
  default:
    return {};
  }
}

} // namespace gmprof::sass
