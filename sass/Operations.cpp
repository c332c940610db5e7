//===- Operations.cpp - Operations of opcodes -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gmprof::sass {

namespace {

/// The bits of an opcode without the form of its operands.
constexpr unsigned OperationBits = 9;

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

} // namespace

unsigned operation(const Instruction &I) { return I.bits(0, OperationBits); }

const Operation *memoryOperation(const Instruction &I) {
  const Operation *O = lower_bound(Operations, operation(I),
                                   [](const Operation &O, unsigned C) { return O.Code < C; });
  return O != std::end(Operations) && O->Code == operation(I) ? O : nullptr;
}

bool accessesNoMemory(const Instruction &I) { return binary_search(NoMemory, operation(I)); }

} // namespace gmprof::sass
