//===- InlineAssembly.cpp - Memory accesses in inline PTX -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

#include "AssemblyStatements.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
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

/// Reads the statements of one call of inline assembly.
class AssemblyReader {
public:
  explicit AssemblyReader(CallBase &Call) : Call(Call) {
    unsigned Argument = 0;
    for (const InlineAsm::ConstraintInfo &C :
         cast<InlineAsm>(Call.getCalledOperand())->ParseConstraints()) {
      if (C.Type == InlineAsm::isClobber)
        continue;
      bool IsArgument = C.Type == InlineAsm::isInput || C.isIndirect;
      Operands.push_back(IsArgument && Argument < Call.arg_size() ? Call.getArgOperand(Argument)
                                                                  : nullptr);
      Argument += IsArgument;
    }
  }

  InstructionEffects run() {
    std::string Text = withoutComments(cast<InlineAsm>(Call.getCalledOperand())->getAsmString());
    SmallVector<StringRef, 8> Texts;
    splitStatements(Text, Texts);
    bool HasControlFlow = false;
    for (StringRef Piece : Texts) {
      AssemblyStatement S = parseStatement(Piece);
      HasControlFlow |=
          S.Opcode == "bra" || S.Opcode == "brx" || S.Opcode == "call" || S.Opcode.ends_with(":");
      read(S, Piece);
      Effects.Empties = std::max(Effects.Empties, emptiesL1(S.Opcode, S.Modifiers));
      if (Effects.Opaque)
        break;
    }
    // A loop that polls a barrier counts as one wait, whatever its number of iterations.
    const bool OnlyWaits = Effects.Accesses.size() == Waits && Waits <= 1;
    if (HasControlFlow && (!OnlyWaits || StringRef(Text).contains("call")))
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
  SmallVector<Value *, 8> Operands; ///< by number; null for results
  StringMap<Condition> Predicates;  ///< registers set by a setp that compares with 0
  InstructionEffects Effects;
  size_t Waits = 0; ///< number of accesses that wait for a barrier

  void opaque(const char *Why) { Effects.Opaque = Why; }

  /// Returns the value passed for $3 or ${3:x}; null for other text.
  Value *operand(StringRef Text) const {
    Text = Text.trim();
    if (!Text.consume_front("$"))
      return nullptr;
    bool Braces = Text.consume_front("{");
    unsigned Number;
    if (Text.consumeInteger(10, Number) || Number >= Operands.size())
      return nullptr;
    if (Braces ? !Text.ends_with("}") : !Text.empty())
      return nullptr;
    return Operands[Number];
  }

  static std::optional<uint64_t> number(StringRef Text) {
    uint64_t Result;
    return Text.trim().getAsInteger(0, Result) ? std::nullopt : std::optional(Result);
  }

  /// Returns a literal or constant operand.
  std::optional<uint64_t> constant(StringRef Text) const {
    if (auto *C = dyn_cast_or_null<ConstantInt>(operand(Text)))
      return C->getLimitedValue();
    return number(Text);
  }

  /// Reads [operand] or [operand+imm].
  bool readAddress(StringRef Text, Access &A) const {
    if (!Text.consume_front("[") || !Text.consume_back("]"))
      return false;
    auto [Base, Offset] = Text.split('+');
    A.Pointer = operand(Base);
    if (!A.Pointer)
      return false;
    if (Offset.empty())
      return !Text.contains('+');
    if (auto Known = constant(Offset)) {
      A.Displacement = static_cast<int64_t>(*Known);
      return true;
    }
    int64_t Signed;
    if (Offset.trim().getAsInteger(0, Signed))
      return false;
    A.Displacement = Signed;
    return true;
  }

  bool applyPredicate(const AssemblyStatement &S, Access &A) const {
    if (S.Predicate.empty())
      return true;
    auto Known = Predicates.find(S.Predicate);
    if (Known == Predicates.end() || !Known->second.V)
      return false;
    A.Predicate = Known->second.V;
    A.PredicateInverted = Known->second.Inverted != S.Inverted;
    return true;
  }

  void add(const AssemblyStatement &S, StringRef Address, GmprofAccessKind Kind, GmprofSpace Space,
           unsigned Bytes) {
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
  void addSized(const AssemblyStatement &S, StringRef Address, GmprofAccessKind Kind,
                GmprofSpace Space, StringRef Size) {
    const std::optional<uint64_t> Known = constant(Size);
    Value *Length = operand(Size);
    if (Effects.Opaque || Known == uint64_t(0))
      return;
    if (!Known && !Length)
      return opaque("inline assembly with an unknown memory instruction");
    const bool Fixed = Known && isUInt<32>(*Known);
    add(S, Address, Kind, Space, Fixed ? static_cast<unsigned>(*Known) : 0);
    if (!Effects.Opaque && !Fixed)
      Effects.Accesses.back().Length = Length;
  }

  void read(const AssemblyStatement &S, StringRef Text) {
    if (S.Opcode.empty()) // directive, such as .reg
      return;
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
    if (Text.contains('['))
      return opaque("inline assembly with an unknown memory instruction");
    forgetPredicates(S);
  }

  /// Reads tex.2d.v4.f32.f32 {…}, [handle, {x, y}] and similar.
  void readTexture(const AssemblyStatement &S) {
    TextureAccess T;
    T.Inst = &Call;
    T.Writes = S.Opcode == "sust" || S.Opcode == "sured";
    for (StringRef Operand : S.Operands)
      if (Operand.consume_front("["))
        T.Handle = operand(Operand.take_until([](char C) { return C == ',' || C == ']'; }));
    Effects.Textures.push_back(T);
  }

  /// Reads setp.ne.b32 p, $0, 0.
  void readSetp(const AssemblyStatement &S) {
    forgetPredicates(S);
    if (S.Operands.size() != 3 || S.Modifiers.size() != 2 || !S.Predicate.empty())
      return;
    bool IsNotEqual = S.has("ne");
    if ((!IsNotEqual && !S.has("eq")) || number(S.Operands[2]) != uint64_t(0))
      return;
    Predicates[S.Operands[0]] = {operand(S.Operands[1]), !IsNotEqual};
  }

  void forgetPredicates(const AssemblyStatement &S) {
    if (!S.Operands.empty())
      Predicates.erase(S.Operands.front().take_until([](char C) { return C == '|'; }));
  }

  /// Returns whether an atomic without result only accumulates. An atomic that orders other
  /// accesses also signals them to other threads.
  static bool accumulates(const AssemblyStatement &S) {
    static constexpr StringLiteral Operations[] = {"add", "and", "or", "xor", "min", "max"};
    static constexpr StringLiteral Orders[] = {"acquire", "release", "acq_rel"};
    const auto HasAny = [&](ArrayRef<StringLiteral> Some) {
      return any_of(Some, [&](StringRef Each) { return S.has(Each); });
    };
    return HasAny(Operations) && !HasAny(Orders);
  }

  void readScalar(const AssemblyStatement &S) {
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
  void readCopy(const AssemblyStatement &S) {
    if (S.has("commit_group") || S.has("wait_group") || S.has("wait_all") || S.has("prefetch"))
      return;
    if (S.has("mbarrier"))
      return readBarrierObject(S);
    if (S.has("bulk"))
      return readBulkCopy(S);
    if (!S.has("async") || !S.has("global"))
      return opaque("inline assembly with an unknown memory instruction");
    auto Bytes = S.Operands.size() >= 3 ? constant(S.Operands[2]) : std::nullopt;
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
    if (auto Known = constant(S.Operands[3])) {
      if (*Known == 0)
        Effects.Accesses.pop_back();
      else
        From.Bytes = *Known;
    } else if (Value *Length = operand(S.Operands[3])) {
      From.Bytes = 0;
      From.Length = Length;
    } else if (auto Ignore = Predicates.find(S.Operands[3]);
               Ignore != Predicates.end() && Ignore->second.V && !From.Predicate) {
      From.Predicate = Ignore->second.V;
      From.PredicateInverted = !Ignore->second.Inverted;
    } else {
      opaque("inline assembly under a predicate that cannot be read");
    }
  }

  /// Reads cp.async.bulk.TO.FROM… [to], [from], bytes{, [barrier]}{, policy}, and cp.reduce.
  void readBulkCopy(const AssemblyStatement &S) {
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
  void readMatrix(const AssemblyStatement &S) {
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
  void readTile(const AssemblyStatement &S) {
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
      Tile->Stride = operand(S.Operands[2]);
      if (const auto Known = constant(S.Operands[2]))
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
  void readBarrierObject(const AssemblyStatement &S) {
    if (S.has("pending_count"))
      return;
    Waits += S.has("try_wait") || S.has("test_wait");
    for (StringRef Operand : S.Operands)
      if (Operand.starts_with("["))
        return add(S, Operand, GMPROF_ACCESS_BARRIER, spaceOf(S.Modifiers), 8);
    opaque("inline assembly with an unknown memory instruction");
  }
};

} // namespace

InstructionEffects gmprof::inlineAssemblyEffects(CallBase &Call) {
  return AssemblyReader(Call).run();
}

Leaves gmprof::inlineAssemblyLeaves(const CallBase &Call) {
  std::string Text = withoutComments(cast<InlineAsm>(Call.getCalledOperand())->getAsmString());
  SmallVector<StringRef, 8> Texts;
  splitStatements(Text, Texts);
  Leaves Result = Leaves::No;
  for (StringRef Piece : Texts) {
    AssemblyStatement S = parseStatement(Piece);
    if (S.Opcode == "exit" || S.Opcode == "ret" || S.Opcode == "call")
      return Leaves::Thread;
    if (S.Opcode == "trap")
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

/// Returns whether all statements of the assembly have one of these opcodes.
static bool consistsOf(StringRef Text, function_ref<bool(StringRef)> IsOne) {
  SmallVector<StringRef, 8> Texts;
  splitStatements(Text, Texts);
  return all_of(Texts, [&](StringRef Piece) {
    AssemblyStatement S = parseStatement(Piece);
    // Directives (.reg) have no opcode.
    return !S.HasLabel && (S.Opcode.empty() || IsOne(S.Opcode));
  });
}

bool gmprof::isArithmeticAssembly(const CallBase &Call) {
  std::string Text = withoutComments(cast<InlineAsm>(Call.getCalledOperand())->getAsmString());
  return !StringRef(Text).contains('%') && !StringRef(Text).contains('[') && // %laneid, memory
         consistsOf(Text, isArithmetic);
}

bool gmprof::waitsForNoLane(const CallBase &Call) {
  std::string Text = withoutComments(cast<InlineAsm>(Call.getCalledOperand())->getAsmString());
  return consistsOf(Text, [](StringRef Opcode) {
    static constexpr StringLiteral OfMemory[] = {"ld",   "ldu",   "st",    "red",
                                                 "atom", "fence", "membar"};
    return isArithmetic(Opcode) || is_contained(OfMemory, Opcode);
  });
}
