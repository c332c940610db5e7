//===- InlineAssembly.cpp - Memory accesses in inline PTX -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

#include "ptx/Parser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;
using namespace gmprof;

namespace {

/// Returns the bits of a PTX type such as f32, b128, f16x2; 0 for anything else.
unsigned bitsOfType(StringRef Type) {
  return StringSwitch<unsigned>(Type)
      .Cases({"b8", "u8", "s8"}, 8)
      .Cases({"b16", "u16", "s16", "f16", "bf16"}, 16)
      .Cases({"b32", "u32", "s32", "f32", "f16x2", "bf16x2"}, 32)
      .Cases({"b64", "u64", "s64", "f64"}, 64)
      .Case("b128", 128)
      .Default(0);
}

/// Returns the memory spaces that the modifiers name, in order.
SmallVector<GmprofSpace, 2> spacesOf(ArrayRef<StringRef> Modifiers) {
  SmallVector<GmprofSpace, 2> Spaces;
  for (StringRef Modifier : Modifiers) {
    auto Space = StringSwitch<std::optional<GmprofSpace>>(Modifier)
                     .Case("global", GMPROF_SPACE_GLOBAL)
                     .Cases({"shared", "shared::cta"}, GMPROF_SPACE_SHARED)
                     .Case("shared::cluster", GMPROF_SPACE_SHARED_CLUSTER)
                     .Case("const", GMPROF_SPACE_CONSTANT)
                     .Case("local", GMPROF_SPACE_LOCAL)
                     .Cases({"param", "param::entry", "param::func"}, GMPROF_SPACE_PARAM)
                     .Default(std::nullopt);
    if (Space)
      Spaces.push_back(*Space);
  }
  return Spaces;
}

/// Returns the space that the modifiers name. If they name none, a pointer's type may tell more
/// than `generic`.
GmprofSpace spaceOf(ArrayRef<StringRef> Modifiers) {
  const SmallVector<GmprofSpace, 2> Spaces = spacesOf(Modifiers);
  return Spaces.empty() ? GMPROF_SPACE_GENERIC : Spaces.front();
}

/// The statements of a call of inline assembly, and what is passed for its operands.
struct Assembly {
  std::string Text;                 ///< Source refers to it
  ptx::Function Source;             ///< its first registers are the operands
  SmallVector<Value *, 8> Operands; ///< by number; null for results
  bool Read = false;                ///< the text has the grammar of PTX

  explicit Assembly(const CallBase &Call) {
    const auto &Asm = *cast<InlineAsm>(Call.getCalledOperand());
    std::vector<ptx::Type> Types;
    std::vector<std::optional<int64_t>> Constants;
    unsigned Argument = 0;
    for (const InlineAsm::ConstraintInfo &C : Asm.ParseConstraints()) {
      if (C.Type == InlineAsm::isClobber)
        continue;
      const bool IsArgument = C.Type == InlineAsm::isInput || C.isIndirect;
      Value *V = IsArgument && Argument < Call.arg_size() ? Call.getArgOperand(Argument) : nullptr;
      Argument += IsArgument;
      Operands.push_back(V);
      const bool IsPredicate = V && V->getType()->isIntegerTy(1);
      Types.push_back(IsPredicate ? ptx::Type{ptx::TypeKind::Predicate, 1, 1}
                                  : ptx::Type{ptx::TypeKind::Bits, 1, 32});
      const auto *Number = dyn_cast_or_null<ConstantInt>(V);
      const bool IsImmediate = Number && Number->getBitWidth() <= 64 && !C.Codes.empty() &&
                               (C.Codes[0] == "n" || C.Codes[0] == "i");
      Constants.push_back(IsImmediate ? std::optional(Number->getSExtValue()) : std::nullopt);
    }
    Expected<std::string> Expanded = ptx::expandTemplate(Asm.getAsmString(), Constants, 0, "asm");
    if (!Expanded) {
      consumeError(Expanded.takeError());
      return;
    }
    Text = std::move(*Expanded) + "\n;"; // the last statement may lack it
    Expected<ptx::Function> Parsed = ptx::parseStatements(Text, Types, "asm", ptx::Names::Any);
    if (!Parsed) {
      consumeError(Parsed.takeError());
      return;
    }
    Source = std::move(*Parsed);
    Read = true;
  }
  Assembly(const Assembly &) = delete;

  /// Returns the value passed for an operand; null for anything else.
  Value *operand(const ptx::Operand &O) const {
    return O.isRegister() && O.Index < Operands.size() ? Operands[O.Index] : nullptr;
  }

  static std::optional<uint64_t> number(const ptx::Operand &O) {
    return O.K == ptx::Operand::Kind::Integer ? std::optional(O.Bits) : std::nullopt;
  }

  /// Returns a literal or constant operand.
  std::optional<uint64_t> constant(const ptx::Operand &O) const {
    if (auto *C = dyn_cast_or_null<ConstantInt>(operand(O)))
      return C->getLimitedValue();
    return number(O);
  }
};

bool isAddress(const ptx::Operand &O) { return O.K == ptx::Operand::Kind::Address; }

/// Returns whether an operand or a part of one is of this kind.
bool holds(const ptx::Operand &O, ptx::Operand::Kind K) {
  return O.K == K || any_of(O.Parts, [K](const ptx::Operand &Part) { return holds(Part, K); });
}

bool holds(const ptx::Instruction &I, ptx::Operand::Kind K) {
  return any_of(I.Operands, [K](const ptx::Operand &O) { return holds(O, K); });
}

/// Reads the memory accesses of one call of inline assembly.
class AssemblyReader {
public:
  explicit AssemblyReader(CallBase &Call) : Call(Call), Of(Call) {}

  InstructionEffects run() {
    if (!Of.Read)
      opaque("inline assembly that cannot be parsed");
    bool HasBranch = false, HasCall = false;
    for (const ptx::Instruction &I : Of.Source.Instructions) {
      HasBranch |= I.Opcode == "bra" || I.Opcode == "brx";
      HasCall |= I.Opcode == "call";
      read(I);
      Effects.Empties = std::max(Effects.Empties, emptiesL1(I.Opcode, I.Modifiers));
      if (Effects.Opaque)
        break;
    }
    // A loop that polls a barrier counts as one wait, whatever its number of iterations.
    const bool OnlyWaits = Effects.Accesses.size() == Waits && Waits <= 1;
    if (HasCall || (HasBranch && !OnlyWaits))
      Effects.Opaque = "control flow in inline assembly";
    if (Effects.Opaque)
      Effects.Accesses.clear();
    return std::move(Effects);
  }

private:
  struct Condition {
    Value *V = nullptr;
    bool Inverted = false;
  };
  CallBase &Call;
  const Assembly Of;
  DenseMap<unsigned, Condition> Predicates; ///< registers set by a setp that compares with 0
  InstructionEffects Effects;
  size_t Waits = 0; ///< number of accesses that wait for a barrier

  void opaque(const char *Why) { Effects.Opaque = Why; }

  /// Reads [operand] or [operand+imm].
  bool readAddress(const ptx::Operand &O, Access &A) const {
    if (!isAddress(O) || O.Parts.size() != 1)
      return false;
    A.Pointer = Of.operand(O.Parts[0]);
    A.Displacement = static_cast<int64_t>(O.Bits);
    return A.Pointer != nullptr;
  }

  /// Returns the condition that a predicate register holds; null if it is unknown.
  const Condition *conditionOf(const ptx::Operand &O) const {
    const auto Known = O.isRegister() ? Predicates.find(O.Index) : Predicates.end();
    return Known != Predicates.end() && Known->second.V ? &Known->second : nullptr;
  }

  bool applyPredicate(const ptx::Instruction &S, Access &A) const {
    if (!S.Guard)
      return true;
    const Condition *Known = conditionOf(*S.Guard);
    if (!Known)
      return false;
    A.Predicate = Known->V;
    A.PredicateInverted = Known->Inverted != S.Guard->Negated;
    return true;
  }

  void add(const ptx::Instruction &S, const ptx::Operand &Address, GmprofAccessKind Kind,
           GmprofSpace Space, unsigned Bytes) {
    Access A;
    A.Inst = &Call;
    A.Kind = Kind;
    A.Bytes = Bytes;
    A.Reads = readsMemory(Kind);
    A.Writes = writesMemory(Kind);
    if (!readAddress(Address, A))
      return opaque("inline assembly with an address that cannot be read");
    if (!applyPredicate(S, A))
      return opaque("inline assembly under a predicate that cannot be read");
    A.Space = Space;
    Effects.Accesses.push_back(A);
  }

  /// Adds an access whose size is given by an operand, unless it is 0.
  void addSized(const ptx::Instruction &S, const ptx::Operand &Address, GmprofAccessKind Kind,
                GmprofSpace Space, const ptx::Operand &Size) {
    const std::optional<uint64_t> Known = Of.constant(Size);
    Value *Length = Of.operand(Size);
    if (Effects.Opaque || Known == uint64_t(0))
      return;
    if (!Known && !Length)
      return opaque("inline assembly with an unknown memory instruction");
    const bool Fixed = Known && isUInt<32>(*Known);
    add(S, Address, Kind, Space, Fixed ? static_cast<unsigned>(*Known) : 0);
    if (!Effects.Opaque && !Fixed)
      Effects.Accesses.back().Length = Length;
  }

  void read(const ptx::Instruction &S) {
    if (S.Opcode == "setp")
      return readSetp(S);
    if (S.Opcode == "ld" || S.Opcode == "ldu" || S.Opcode == "st" || S.Opcode == "atom" ||
        S.Opcode == "red")
      return readScalar(S);
    if (S.Opcode == "cp")
      return readCopy(S);
    if (S.Opcode == "ldmatrix" || S.Opcode == "stmatrix")
      return readMatrix(S);
    if (S.Opcode == "wmma" && (S.has("load") || S.has("store")))
      return readTile(S);
    if (S.Opcode == "mbarrier")
      return readBarrierObject(S);
    static constexpr StringLiteral Texture[] = {"tex", "tld4", "suld", "sust", "sured"};
    if (is_contained(Texture, S.Opcode))
      return readTexture(S);
    static constexpr StringLiteral NoAccess[] = {"prefetch", "prefetchu",    "applypriority",
                                                 "discard",  "createpolicy", "txq",
                                                 "suq",      "fence",        "membar"};
    if (is_contained(NoAccess, S.Opcode))
      return;
    if (S.Opcode == "wgmma" && S.has("mma_async"))
      return opaque("matrix instruction that reads shared memory by a descriptor");
    if (holds(S, ptx::Operand::Kind::Address))
      return opaque("inline assembly with an unknown memory instruction");
    forgetPredicates(S);
  }

  /// Reads tex.2d.v4.f32.f32 {…}, [handle, {x, y}] and similar.
  void readTexture(const ptx::Instruction &S) {
    TextureAccess T;
    T.Inst = &Call;
    T.Writes = S.Opcode == "sust" || S.Opcode == "sured";
    for (const ptx::Operand &O : S.Operands)
      if (isAddress(O))
        T.Handle = Of.operand(O.Parts[0]);
    Effects.Textures.push_back(T);
  }

  /// Reads setp.ne.b32 p, $0, 0.
  void readSetp(const ptx::Instruction &S) {
    forgetPredicates(S);
    if (S.Operands.size() != 3 || S.Modifiers.size() != 2 || S.Guard || !S.Operands[0].isRegister())
      return;
    bool IsNotEqual = S.has("ne");
    if ((!IsNotEqual && !S.has("eq")) || Of.number(S.Operands[2]) != uint64_t(0))
      return;
    Predicates[S.Operands[0].Index] = {Of.operand(S.Operands[1]), !IsNotEqual};
  }

  void forgetPredicates(const ptx::Instruction &S) {
    if (!S.Operands.empty())
      forget(S.Operands.front());
  }

  void forget(const ptx::Operand &Written) {
    if (Written.isRegister())
      Predicates.erase(Written.Index);
    for (const ptx::Operand &Part : Written.Parts)
      forget(Part);
  }

  /// Returns whether an atomic without result only accumulates. An atomic that orders other
  /// accesses also signals them to other threads.
  static bool accumulates(const ptx::Instruction &S) {
    static constexpr StringLiteral Operations[] = {"add", "and", "or", "xor", "min", "max"};
    static constexpr StringLiteral Orders[] = {"acquire", "release", "acq_rel"};
    const auto HasAny = [&](ArrayRef<StringLiteral> Some) {
      return any_of(Some, [&](StringRef Each) { return S.has(Each); });
    };
    return HasAny(Operations) && !HasAny(Orders);
  }

  void readScalar(const ptx::Instruction &S) {
    unsigned Bits = S.Modifiers.empty() ? 0 : bitsOfType(S.Modifiers.back());
    unsigned Elements = S.has("v8") ? 8 : S.has("v4") ? 4 : S.has("v2") ? 2 : 1;
    bool IsLoad = S.Opcode == "ld" || S.Opcode == "ldu", IsStore = S.Opcode == "st";
    size_t AddressAt = IsStore || S.Opcode == "red" ? 0 : 1;
    // st.bulk [to], bytes, 0
    if (IsStore && S.has("bulk") && S.Operands.size() == 3)
      return addSized(S, S.Operands[0], GMPROF_ACCESS_COPY_TO, GMPROF_SPACE_SHARED, S.Operands[1]);
    if (!Bits || S.Operands.size() <= AddressAt)
      return opaque("inline assembly with an unknown memory instruction");
    add(S, S.Operands[AddressAt],
        IsLoad    ? GMPROF_ACCESS_LOAD
        : IsStore ? GMPROF_ACCESS_STORE
                  : GMPROF_ACCESS_ATOMIC,
        spaceOf(S.Modifiers), Bits / 8 * Elements);
    if (!IsLoad && !IsStore && !Effects.Opaque)
      Effects.Accesses.back().Reduction = (S.Opcode == "red" || Call.use_empty()) && accumulates(S);
  }

  /// Reads cp.async.ca.shared.global [to], [from], bytes {, source bytes} {, policy}.
  void readCopy(const ptx::Instruction &S) {
    if (S.has("commit_group") || S.has("wait_group") || S.has("wait_all") || S.has("prefetch"))
      return;
    if (S.has("mbarrier"))
      return readBarrierObject(S);
    if (S.has("bulk"))
      return readBulkCopy(S);
    if (!S.has("async") || !S.has("global"))
      return opaque("inline assembly with an unknown memory instruction");
    auto Bytes = S.Operands.size() >= 3 ? Of.constant(S.Operands[2]) : std::nullopt;
    if (!Bytes || !isUInt<8>(*Bytes))
      return opaque("inline assembly with an unknown memory instruction");
    bool HasPolicy = S.has("L2::cache_hint");
    size_t Plain = HasPolicy ? 4 : 3;
    add(S, S.Operands[0], GMPROF_ACCESS_ASYNC_TO, GMPROF_SPACE_SHARED, *Bytes);
    if (Effects.Opaque)
      return;
    add(S, S.Operands[1], GMPROF_ACCESS_ASYNC_FROM, GMPROF_SPACE_GLOBAL, *Bytes);
    if (Effects.Opaque || S.Operands.size() == Plain)
      return;
    // The fourth operand is the source's size, or a predicate that skips the read.
    Access &From = Effects.Accesses.back();
    if (auto Known = Of.constant(S.Operands[3])) {
      if (*Known == 0)
        Effects.Accesses.pop_back();
      else
        From.Bytes = *Known;
    } else if (Value *Length = Of.operand(S.Operands[3])) {
      From.Bytes = 0;
      From.Length = Length;
    } else if (const Condition *Ignore = conditionOf(S.Operands[3]); Ignore && !From.Predicate) {
      From.Predicate = Ignore->V;
      From.PredicateInverted = !Ignore->Inverted;
    } else {
      opaque("inline assembly under a predicate that cannot be read");
    }
  }

  /// Reads cp.async.bulk.TO.FROM… [to], [from], bytes{, [barrier]}{, policy}, and cp.reduce.
  void readBulkCopy(const ptx::Instruction &S) {
    if (S.has("tensor"))
      return opaque(TensorCopy);
    if (S.has("multicast::cluster"))
      return opaque(BulkCopyToSeveral);
    if (S.has("cp_mask"))
      return opaque(BulkCopyOfSome);
    const SmallVector<GmprofSpace, 2> Spaces = spacesOf(S.Modifiers);
    if (!S.has("async") || Spaces.size() != 2 || S.Operands.size() < 3)
      return opaque("inline assembly with an unknown memory instruction");
    const size_t First = Effects.Accesses.size();
    addSized(S, S.Operands[1], GMPROF_ACCESS_ASYNC_FROM, Spaces[1], S.Operands[2]);
    addSized(S, S.Operands[0], S.has("reduce") ? GMPROF_ACCESS_ATOMIC : GMPROF_ACCESS_ASYNC_TO,
             Spaces[0], S.Operands[2]);
    for (Access &A : drop_begin(Effects.Accesses, First)) {
      A.IsBulk = true;
      A.Reduction = A.Kind == GMPROF_ACCESS_ATOMIC && accumulates(S);
    }
  }

  /// Reads ldmatrix.sync.aligned.m8n8.x4.shared.b16 {…}, [row].
  void readMatrix(const ptx::Instruction &S) {
    bool IsLoad = S.Opcode == "ldmatrix";
    if (S.Operands.size() != 2)
      return opaque("inline assembly with an unknown memory instruction");
    add(S, S.Operands[IsLoad ? 1 : 0], GMPROF_ACCESS_MATRIX, spaceOf(S.Modifiers), 16);
    if (Effects.Opaque)
      return;
    Access &A = Effects.Accesses.back();
    A.Reads = IsLoad;
    A.Writes = !IsLoad;
    A.Lanes = (S.has("m16n16") ? 16 : 8) * (S.has("x4") ? 4 : S.has("x2") ? 2 : 1);
  }

  /// Reads wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {…}, [tile]{, stride}, and
  /// wmma.store.d with the tile first.
  void readTile(const ptx::Instruction &S) {
    const bool IsLoad = S.has("load");
    const auto Shape = find_if(S.Modifiers, [](StringRef Each) {
      return Each.size() > 1 && Each.front() == 'm' && isDigit(Each[1]);
    });
    const size_t At = IsLoad ? 1 : 0;
    if (Shape == S.Modifiers.end() || S.Operands.size() < 2 || S.Operands.size() > 3)
      return opaque(UnknownTile);
    std::optional<WarpTile> Tile =
        tileOfFragment(*Shape, S.Modifiers[1], S.has("row"), S.Modifiers.back());
    if (!Tile)
      return opaque(UnknownTile);
    if (S.Operands.size() == 3) {
      Tile->Stride = Of.operand(S.Operands[2]);
      if (const auto Known = Of.constant(S.Operands[2]))
        Tile->Stride = ConstantInt::get(Type::getInt32Ty(Call.getContext()), *Known);
      if (Tile->StrideUnit == 0)
        return opaque(TileOfBits);
      if (!Tile->Stride)
        return opaque("inline assembly with an unknown memory instruction");
    }
    add(S, S.Operands[At], GMPROF_ACCESS_MATRIX, spaceOf(S.Modifiers), Tile->RowBytes);
    if (Effects.Opaque)
      return;
    Access &A = Effects.Accesses.back();
    A.Reads = IsLoad;
    A.Writes = !IsLoad;
    A.Tile = Tile;
  }

  /// Reads an operation on an mbarrier object, which has 8 bytes and is read and written.
  void readBarrierObject(const ptx::Instruction &S) {
    if (S.has("pending_count"))
      return;
    Waits += S.has("try_wait") || S.has("test_wait");
    for (const ptx::Operand &O : S.Operands)
      if (isAddress(O))
        return add(S, O, GMPROF_ACCESS_BARRIER, spaceOf(S.Modifiers), 8);
    opaque("inline assembly with an unknown memory instruction");
  }
};

} // namespace

InstructionEffects gmprof::inlineAssemblyEffects(CallBase &Call) {
  return AssemblyReader(Call).run();
}

Leaves gmprof::inlineAssemblyLeaves(const CallBase &Call) {
  const Assembly Of(Call);
  Leaves Result = Of.Read ? Leaves::No : Leaves::Thread;
  for (const ptx::Instruction &I : Of.Source.Instructions) {
    if (I.Opcode == "exit" || I.Opcode == "ret" || I.Opcode == "call")
      return Leaves::Thread;
    if (I.Opcode == "trap")
      Result = Leaves::Kernel;
  }
  return Result;
}

static bool isArithmetic(StringRef Opcode) {
  static constexpr StringLiteral Arithmetic[] = {
      "abs",  "add",  "addc",  "and",      "bfe",      "bfi",       "bfind", "bmsk",
      "brev", "clz",  "cnot",  "copysign", "cos",      "cvt",       "cvta",  "div",
      "dp2a", "dp4a", "ex2",   "fma",      "isspacep", "lg2",       "lop3",  "mad",
      "madc", "max",  "min",   "mov",      "mul",      "mul24",     "neg",   "not",
      "or",   "popc", "prmt",  "rcp",      "rem",      "rsqrt",     "sad",   "selp",
      "set",  "setp", "shf",   "shl",      "shr",      "sin",       "slct",  "sqrt",
      "sub",  "subc", "szext", "tanh",     "testp",    "vabsdiff4", "xor"};
  return is_contained(Arithmetic, Opcode);
}

/// Returns whether all instructions of the assembly are of this kind, without a branch.
static bool consistsOf(const Assembly &Of, function_ref<bool(const ptx::Instruction &)> IsOne) {
  return Of.Read && Of.Source.Labels.empty() && all_of(Of.Source.Instructions, IsOne);
}

bool gmprof::isArithmeticAssembly(const CallBase &Call) {
  using Kind = ptx::Operand::Kind;
  return consistsOf(Assembly(Call), [](const ptx::Instruction &I) {
    return isArithmetic(I.Opcode) && !holds(I, Kind::Special) && !holds(I, Kind::Symbol) &&
           !holds(I, Kind::Address);
  });
}

bool gmprof::waitsForNoLane(const CallBase &Call) {
  return consistsOf(Assembly(Call), [](const ptx::Instruction &I) {
    static constexpr StringLiteral OfMemory[] = {"ld",   "ldu",   "st",    "red",
                                                 "atom", "fence", "membar"};
    return isArithmetic(I.Opcode) || is_contained(OfMemory, I.Opcode);
  });
}
