//===- InstructionDecoder.cpp - Encodings of instructions -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"

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

/// The bits of an opcode without the form of its operands.
constexpr unsigned OperationBits = 9;

/// How the fields of an instruction are laid out.
enum class Layout : uint8_t {
  Load,
  Store,
  Atomic,
  FloatAtomic, ///< sm_90 and newer
  CompareAndSwap,
  AsyncCopy,
  MatrixLoad,
  MatrixStore,
  Constant,
  UniformConstant,
  Texture,
  SurfaceBytes,
  SurfacePixels,
  SurfaceAtomic,
  CacheControl,
  Barrier,
  UniformBarrier,
  AsyncStore,
  AsyncReduction,
  Bulk,
  Descriptor,
};

struct Operation {
  uint16_t Code; ///< of OperationBits bits
  StringLiteral Name;
  MemorySpace Space;
  MemoryOperation Does;
  Layout Fields;
};

using enum MemorySpace;
using enum MemoryOperation;

constexpr Operation Operations[] = {
    {0x03b, "LDSM", Shared, MatrixLoad, Layout::MatrixLoad},
    {0x044, "STSM", Shared, MatrixStore, Layout::MatrixStore},
    {0x0b9, "ULDC", Constant, Load, Layout::UniformConstant},
    {0x0bb, "ULDC", Constant, Load, Layout::UniformConstant},
    {0x160, "TEX", Texture, Load, Layout::Texture},
    {0x161, "TEX", Texture, Load, Layout::Texture},
    {0x163, "TLD4", Texture, Load, Layout::Texture},
    {0x164, "TLD4", Texture, Load, Layout::Texture},
    {0x166, "TLD", Texture, Load, Layout::Texture},
    {0x167, "TLD", Texture, Load, Layout::Texture},
    {0x16c, "TXD", Texture, Load, Layout::Texture},
    {0x16d, "TXD", Texture, Load, Layout::Texture},
    {0x180, "LD", Generic, Load, Layout::Load},
    {0x181, "LDG", Global, Load, Layout::Load},
    {0x182, "LDC", Constant, Load, Layout::Constant},
    {0x183, "LDL", Local, Load, Layout::Load},
    {0x184, "LDS", Shared, Load, Layout::Load},
    {0x185, "ST", Generic, Store, Layout::Store},
    {0x186, "STG", Global, Store, Layout::Store},
    {0x187, "STL", Local, Store, Layout::Store},
    {0x188, "STS", Shared, Store, Layout::Store},
    {0x18a, "ATOM", Generic, Atomic, Layout::Atomic},
    {0x18b, "ATOM", Generic, Atomic, Layout::CompareAndSwap},
    {0x18c, "ATOMS", Shared, Atomic, Layout::Atomic},
    {0x18d, "ATOMS", Shared, Atomic, Layout::CompareAndSwap},
    {0x18e, "REDG", Global, Reduction, Layout::Atomic},
    {0x18f, "CCTL", Global, CacheControl, Layout::CacheControl},
    {0x190, "CCTLL", Local, CacheControl, Layout::CacheControl},
    {0x193, "SUATOM", Surface, Atomic, Layout::SurfaceAtomic},
    {0x194, "SUATOM", Surface, Atomic, Layout::SurfaceAtomic},
    {0x195, "SUATOM", Surface, Atomic, Layout::SurfaceAtomic},
    {0x196, "SUATOM", Surface, Atomic, Layout::SurfaceAtomic},
    {0x197, "SULD.P", Surface, Load, Layout::SurfacePixels},
    {0x198, "SULD.P", Surface, Load, Layout::SurfacePixels},
    {0x199, "SULD.D", Surface, Load, Layout::SurfaceBytes},
    {0x19a, "SULD.D", Surface, Load, Layout::SurfaceBytes},
    {0x19b, "SUST.P", Surface, Store, Layout::SurfacePixels},
    {0x19c, "SUST.P", Surface, Store, Layout::SurfacePixels},
    {0x19d, "SUST.D", Surface, Store, Layout::SurfaceBytes},
    {0x19e, "SUST.D", Surface, Store, Layout::SurfaceBytes},
    {0x19f, "SURED", Surface, Reduction, Layout::SurfaceAtomic},
    {0x1a0, "SURED", Surface, Reduction, Layout::SurfaceAtomic},
    {0x1a2, "ATOM", Generic, Atomic, Layout::FloatAtomic},
    {0x1a3, "ATOMG", Global, Atomic, Layout::FloatAtomic},
    {0x1a4, "LDGMC", Global, Load, Layout::Atomic},
    {0x1a5, "LDGMC", Global, Load, Layout::FloatAtomic},
    {0x1a6, "REDG", Global, Reduction, Layout::FloatAtomic},
    {0x1a7, "SYNCS", Shared, Barrier, Layout::Barrier},
    {0x1a8, "ATOMG", Global, Atomic, Layout::Atomic},
    {0x1a9, "ATOMG", Global, Atomic, Layout::CompareAndSwap},
    {0x1ae, "LDGSTS", Global, AsyncCopy, Layout::AsyncCopy},
    {0x1b0, "ARRIVES", Shared, Barrier, Layout::Barrier},
    {0x1b1, "SYNCS", Shared, Barrier, Layout::Barrier},
    {0x1b2, "SYNCS", Shared, Barrier, Layout::UniformBarrier},
    {0x1b4, "UTMALDG", Global, BulkCopy, Layout::Descriptor},
    {0x1b5, "UTMASTG", Global, BulkCopy, Layout::Descriptor},
    {0x1b6, "UTMAREDG", Global, BulkReduction, Layout::Descriptor},
    {0x1b8, "UTMAPF", Global, BulkPrefetch, Layout::Descriptor},
    {0x1b9, "UTMACCTL", Global, CacheControl, Layout::Descriptor},
    {0x1ba, "UBLKCP", Global, BulkCopy, Layout::Bulk},
    {0x1bb, "UBLKRED", Global, BulkReduction, Layout::Bulk},
    {0x1bc, "UBLKPF", Global, BulkPrefetch, Layout::Descriptor},
    {0x1bd, "STAS", DistributedShared, Store, Layout::AsyncStore},
    {0x1be, "REDAS", DistributedShared, Reduction, Layout::AsyncReduction},
    {0x1f0, "HGMMA", Shared, MatrixMultiply, Layout::Descriptor},
    {0x1f1, "IGMMA", Shared, MatrixMultiply, Layout::Descriptor},
    {0x1f2, "BGMMA", Shared, MatrixMultiply, Layout::Descriptor},
    {0x1f3, "QGMMA", Shared, MatrixMultiply, Layout::Descriptor},
};

constexpr bool byCode(const Operation &A, const Operation &B) { return A.Code < B.Code; }
static_assert(std::is_sorted(std::begin(Operations), std::end(Operations), byCode));

/// Operations that access no memory, apart from operands in constant memory.
constexpr uint16_t NoMemory[] = {
    // Moves, comparisons and integers.
    0x002, 0x003, 0x004, 0x005, 0x006, 0x007, 0x008, 0x009, 0x00a, 0x00b, 0x00c, 0x00f, 0x010,
    0x011, 0x012, 0x013, 0x015, 0x016, 0x017, 0x018, 0x019, 0x01a, 0x01b, 0x01c,
    // Floats, products and matrices in registers.
    0x020, 0x021, 0x022, 0x023, 0x024, 0x025, 0x026, 0x027, 0x028, 0x029, 0x02a, 0x02b, 0x02d,
    0x02e, 0x02f, 0x030, 0x031, 0x032, 0x033, 0x034, 0x035, 0x036, 0x037, 0x038, 0x039, 0x03a,
    0x03c, 0x03d, 0x03e, 0x03f, 0x040, 0x043, 0x045, 0x046, 0x048, 0x07a,
    // Uniform registers.
    0x082, 0x083, 0x086, 0x087, 0x08c, 0x090, 0x091, 0x092, 0x096, 0x097, 0x099, 0x09a, 0x09c,
    0x0a4, 0x0a5, 0x0bd, 0x0be, 0x0bf, 0x0ca,
    // Conversions and bits.
    0x100, 0x101, 0x102, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x110, 0x111, 0x112, 0x113,
    // Special registers, barriers and control flow.
    0x118, 0x119, 0x11a, 0x11b, 0x11c, 0x11d, 0x141, 0x142, 0x143, 0x144, 0x145, 0x146, 0x147,
    0x148, 0x149, 0x14a, 0x14c, 0x14d, 0x14e, 0x14f, 0x150, 0x155, 0x156, 0x158, 0x159, 0x15a,
    0x15b, 0x15c, 0x15d,
    // Queries of textures, exchanges between lanes, fences.
    0x16f, 0x170, 0x189, 0x192, 0x1a1, 0x1aa, 0x1ab, 0x1af, 0x1b7, 0x1c2, 0x1c3, 0x1c4, 0x1c5,
    0x1c6, 0x1c7, 0x1c8};

static_assert(std::is_sorted(std::begin(NoMemory), std::end(NoMemory)));

unsigned operation(const Instruction &I) { return I.bits(0, OperationBits); }

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

  /// A predicate operand decides which lanes access memory.
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

  /// Whether the uniform register is a descriptor of memory, and no part of the address.
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
  const Operation *O = lower_bound(Operations, operation(I),
                                   [](const Operation &O, unsigned C) { return O.Code < C; });
  if (O == std::end(Operations) || O->Code != operation(I))
    return std::nullopt;
  return Decoder(I, *O, Architecture).take();
}

bool accessesNoMemory(const Instruction &I) { return binary_search(NoMemory, operation(I)); }

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
