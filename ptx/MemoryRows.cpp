//===- MemoryRows.cpp - Memory instructions -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cache operators and hints of plain loads and stores are dropped: they change neither results nor
// addresses. A volatile or strong access keeps its order and scope.
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

#include "Provenance.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// Returns the number of elements that .v2, .v4 or .v8 gives.
unsigned vectorSize(const Instruction &I) {
  return I.has("v2") ? 2 : I.has("v4") ? 4 : I.has("v8") ? 8 : 1;
}

SyncScope::ID scope(InstructionLifter &L, const Instruction &I, StringRef Default) {
  StringRef Name = Default;
  for (StringRef M : I.Modifiers)
    if (M == "cta" || M == "cluster" || M == "gpu" || M == "sys")
      Name = M;
  StringRef Llvm = StringSwitch<StringRef>(Name)
                       .Case("cta", "block")
                       .Case("cluster", "cluster")
                       .Case("gpu", "device")
                       .Default("");
  return L.B.getContext().getOrInsertSyncScopeID(Llvm);
}

AtomicOrdering ordering(const Instruction &I) {
  return I.has("acquire")   ? AtomicOrdering::Acquire
         : I.has("release") ? AtomicOrdering::Release
         : I.has("acq_rel") ? AtomicOrdering::AcquireRelease
                            : AtomicOrdering::Monotonic;
}

/// Returns the type in which a register or number is loaded or stored: a pointer if it holds one.
llvm::Type *memoryType(InstructionLifter &L, const Operand &O, const Type &Ty) {
  std::optional<unsigned> Space = L.addressSpaceOf(O);
  if (Space && Ty.totalBits() == 64)
    return PointerType::get(L.B.getContext(), *Space);
  return L.irType(Ty);
}

/// Lifts ld and st, plain or volatile.
bool access(InstructionLifter &L, const Instruction &I) {
  const bool Load = I.Opcode != "st";
  const Type Ty = L.type(I);
  const Operand &Data = I.Operands[Load ? 0 : 1], &Place = I.Operands[Load ? 1 : 0];
  unsigned Size = vectorSize(I);
  if (Size != (Data.K == Operand::Kind::Vector ? Data.Parts.size() : 1))
    return false;
  Value *Pointer = L.address(Place, spaceOf(I));
  Align Alignment(uint64_t(Ty.bytes()) * Size);
  const bool Volatile = I.has("volatile") || I.has("cv");
  llvm::Type *Element = Size == 1 ? memoryType(L, Data, Ty) : L.irType(Ty);
  llvm::Type *Whole = Size == 1 ? Element : FixedVectorType::get(Element, Size);
  if (Load) {
    LoadInst *V = L.B.CreateAlignedLoad(Whole, Pointer, Alignment, Volatile);
    L.mark(*V);
    if (I.has("nc") || I.Opcode == "ldu")
      V->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(L.B.getContext(), {}));
    if (Size == 1)
      L.write(Data, V, Ty.isSigned());
    else
      for (unsigned N = 0; N < Size; ++N)
        L.write(Data.Parts[N], L.B.CreateExtractElement(V, N), Ty.isSigned());
    return true;
  }
  Value *V = Size == 1 ? L.read(Data, Element) : PoisonValue::get(Whole);
  if (Size > 1)
    for (unsigned N = 0; N < Size; ++N)
      V = L.B.CreateInsertElement(V, L.read(Data.Parts[N], Element), N);
  L.mark(*L.B.CreateAlignedStore(V, Pointer, Alignment, Volatile));
  return true;
}

/// Lifts ld.relaxed, ld.acquire, st.relaxed and st.release.
bool strongAccess(InstructionLifter &L, const Instruction &I) {
  const bool Load = I.Opcode == "ld";
  const Type Ty = L.type(I);
  Value *Pointer = L.address(I.Operands[Load ? 1 : 0], spaceOf(I));
  llvm::Type *Int = L.intType(Ty.totalBits());
  Align Alignment(Ty.bytes());
  if (Load) {
    LoadInst *V = L.B.CreateAlignedLoad(Int, Pointer, Alignment);
    V->setAtomic(ordering(I), scope(L, I, "gpu"));
    L.mark(*V);
    L.write(I.Operands[0], V, Ty.isSigned());
    return true;
  }
  StoreInst *S = L.B.CreateAlignedStore(L.read(I.Operands[1], Int), Pointer, Alignment);
  S->setAtomic(ordering(I), scope(L, I, "gpu"));
  L.mark(*S);
  return true;
}

bool atomic(InstructionLifter &L, const Instruction &I) {
  const bool Result = I.Opcode == "atom";
  const Type Ty = L.type(I);
  Value *Pointer = L.address(I.Operands[Result ? 1 : 0], spaceOf(I));
  auto Operation = AtomicRMWInst::BAD_BINOP;
  for (StringRef M : I.Modifiers)
    Operation = StringSwitch<AtomicRMWInst::BinOp>(M)
                    .Case("add", Ty.isFloat() ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                    .Case("and", AtomicRMWInst::And)
                    .Case("or", AtomicRMWInst::Or)
                    .Case("xor", AtomicRMWInst::Xor)
                    .Case("exch", AtomicRMWInst::Xchg)
                    .Case("inc", AtomicRMWInst::UIncWrap)
                    .Case("dec", AtomicRMWInst::UDecWrap)
                    .Case("min", Ty.isSigned() ? AtomicRMWInst::Min : AtomicRMWInst::UMin)
                    .Case("max", Ty.isSigned() ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
                    .Default(Operation);
  Value *V = L.read(I.Operands[Result ? 2 : 1], L.irType(Ty));
  AtomicRMWInst *Old = L.B.CreateAtomicRMW(Operation, Pointer, V, Align(Ty.bytes()), ordering(I),
                                           scope(L, I, "gpu"));
  L.mark(*Old);
  if (Result)
    L.write(I.Operands[0], Old, Ty.isSigned());
  return true;
}

bool compareAndSwap(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  llvm::Type *Int = L.irType(Ty);
  Value *Pointer = L.address(I.Operands[1], spaceOf(I));
  AtomicOrdering Success = ordering(I);
  AtomicOrdering Failure =
      Success == AtomicOrdering::Acquire || Success == AtomicOrdering::AcquireRelease
          ? AtomicOrdering::Acquire
          : AtomicOrdering::Monotonic;
  AtomicCmpXchgInst *Pair =
      L.B.CreateAtomicCmpXchg(Pointer, L.read(I.Operands[2], Int), L.read(I.Operands[3], Int),
                              Align(Ty.bytes()), Success, Failure, scope(L, I, "gpu"));
  L.mark(*Pair);
  L.write(I.Operands[0], L.B.CreateExtractValue(Pair, 0));
  return true;
}

/// Lifts cp.async.ca.shared.global [to], [from], bytes, source bytes, policy. Instead of the source
/// bytes, a predicate says whether there are none.
bool copyAsync(InstructionLifter &L, const Instruction &I) {
  const std::vector<Operand> &O = I.Operands;
  const bool Global = I.has("cg"), Sized = O.size() - I.has("L2::cache_hint") == 4;
  const uint64_t Bytes = O[2].K == Operand::Kind::Integer ? O[2].Bits : 0;
  if (Bytes != 16 && (Global || (Bytes != 4 && Bytes != 8)))
    return L.fail(Global ? "expected a size of 16 bytes" : "expected a size of 4, 8 or 16 bytes");
  const Intrinsic::ID Id =
      Intrinsic::lookupIntrinsicID(("llvm.nvvm.cp.async." + Twine(Global ? "cg" : "ca") +
                                    ".shared.global." + Twine(Bytes) + (Sized ? ".s" : ""))
                                       .str());
  SmallVector<Value *, 3> Arguments{L.address(O[0], Space::Shared), L.address(O[1], Space::Global)};
  if (Sized && L.isPredicate(O[3]))
    Arguments.push_back(
        L.B.CreateSelect(L.read(O[3], L.B.getInt1Ty()), L.B.getInt32(0), L.B.getInt32(Bytes)));
  else if (Sized)
    Arguments.push_back(L.read(O[3], L.B.getInt32Ty()));
  L.intrinsic(Id, Arguments);
  return true;
}

bool copyAsyncGroup(InstructionLifter &L, const Instruction &I) {
  if (I.has("commit_group"))
    L.intrinsic(Intrinsic::nvvm_cp_async_commit_group, {});
  else if (I.has("wait_all"))
    L.intrinsic(Intrinsic::nvvm_cp_async_wait_all, {});
  else if (I.Operands[0].K == Operand::Kind::Integer)
    L.intrinsic(Intrinsic::nvvm_cp_async_wait_group, {L.read(I.Operands[0], L.B.getInt32Ty())});
  else
    return false;
  return true;
}

bool loadMatrix(InstructionLifter &L, const Instruction &I) {
  const Operand &To = I.Operands[0];
  const bool Transposed = I.has("trans");
  unsigned Size = I.has("x1") ? 1 : I.has("x2") ? 2 : 4;
  if (To.K != Operand::Kind::Vector || To.Parts.size() != Size)
    return false;
  Intrinsic::ID Id =
      Size == 1   ? (Transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16
                                : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16)
      : Size == 2 ? (Transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                                : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16)
                  : (Transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16);
  Value *Pointer = L.address(I.Operands[1], Space::Shared);
  Value *V = L.intrinsic(Id, {Pointer}, {Pointer->getType()});
  for (unsigned N = 0; N < Size; ++N)
    L.write(To.Parts[N], Size == 1 ? V : L.B.CreateExtractValue(V, N));
  return true;
}

#define GMPROF_CACHE_HINTS                                                                         \
  "[ca|cg|cs|lu|cv|wb|wt] "                                                                        \
  "[L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate] "         \
  "[L2::evict_normal|L2::evict_first|L2::evict_last] "                                             \
  "[L2::cache_hint] [L2::64B|L2::128B|L2::256B] "

// The ISA has .sem.scope.space.op.type. Compilers also write the scope after the space, maybe with
// the semantics after it, and both after the operation.
#define GMPROF_ATOMIC(Semantics, Scopes, Operation, Types)                                         \
  Semantics " " Scopes " [global|shared|shared::cta] " Scopes " " Semantics " " Operation          \
            " " Semantics " " Scopes " " Types
// LLVM generates the semantics and scope of compare-and-swap. It generates other operations as
// relaxed ones of scope gpu, whatever its IR says: stronger ones stay inline assembly.
#define GMPROF_SWAP(Types)                                                                         \
  GMPROF_ATOMIC("[relaxed|acquire|release|acq_rel]", "[cta|cluster|gpu|sys]", "cas", Types)
#define GMPROF_UPDATE(Operation, Types)                                                            \
  GMPROF_ATOMIC("[relaxed]", "[cta|cluster|gpu]", Operation, Types)

constexpr Row Rows[] = {
    {"ld", "[weak|volatile] [%space] [nc] " GMPROF_CACHE_HINTS "[v2|v4|v8] %data", "Dav?", access},
    {"ld", "global " GMPROF_CACHE_HINTS "nc " GMPROF_CACHE_HINTS "[v2|v4|v8] %data", "Dav?",
     access},
    {"ldu", "[global] [v2|v4] %data", "Da", access},
    {"st", "[weak|volatile] [%space] " GMPROF_CACHE_HINTS "[v2|v4|v8] %data", "aVv?", access},
    {"ld", "relaxed|acquire cta|cluster|gpu|sys [global|shared|shared::cta] %data", "da",
     strongAccess},
    {"st", "relaxed|release cta|cluster|gpu|sys [global|shared|shared::cta] %data", "av",
     strongAccess},
    {"ld", "[global|shared|shared::cta] relaxed|acquire cta|cluster|gpu|sys %data", "da",
     strongAccess},
    {"st", "[global|shared|shared::cta] relaxed|release cta|cluster|gpu|sys %data", "av",
     strongAccess},
    {"atom", GMPROF_UPDATE("add", "u32|s32|u64|f32|f64"), "dav", atomic},
    {"atom", GMPROF_UPDATE("and|or|xor|exch", "b32|b64"), "dav", atomic},
    {"atom", GMPROF_UPDATE("min|max", "u32|s32|u64|s64"), "dav", atomic},
    {"atom", GMPROF_UPDATE("inc|dec", "u32"), "dav", atomic},
    {"atom", GMPROF_SWAP("b32|b64"), "davv", compareAndSwap},
    {"red", GMPROF_UPDATE("add", "u32|s32|u64|f32|f64"), "av", atomic},
    {"red", GMPROF_UPDATE("and|or|xor", "b32|b64"), "av", atomic},
    {"red", GMPROF_UPDATE("min|max", "u32|s32|u64|s64"), "av", atomic},
    {"red", GMPROF_UPDATE("inc|dec", "u32"), "av", atomic},
    {"cp", "async ca|cg shared|shared::cta global [L2::cache_hint] [L2::64B|L2::128B|L2::256B]",
     "aavv?v?", copyAsync},
    {"cp", "async commit_group|wait_all", "", copyAsyncGroup},
    {"cp", "async wait_group", "v", copyAsyncGroup},
    {"ldmatrix", "sync aligned m8n8 x1|x2|x4 [trans] shared|shared::cta b16", "Da", loadMatrix},
    {"ldmatrix", "sync aligned x1|x2|x4 [trans] m8n8 shared|shared::cta b16", "Da", loadMatrix},
};

#undef GMPROF_UPDATE
#undef GMPROF_SWAP
#undef GMPROF_ATOMIC
#undef GMPROF_CACHE_HINTS

} // namespace

ArrayRef<Row> memoryRows() { return Rows; }

} // namespace gmprof::ptx
