//===- StatementParser.cpp - Parser of PTX statements ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementParser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gmprof::ptx {

static constexpr unsigned MaxBlockDepth = 256;
static constexpr unsigned MaxOperandDepth = 8;
static constexpr unsigned MaxRegisters = 1 << 22; ///< of a module

void StatementParser::begin() {
  Scopes.assign(1, Scope());
  Current = 0;
  Depth = 0;
  PendingNoUnroll = false;
  CurrentLine = -1;
}

Expected<Function> StatementParser::run(ArrayRef<Type> Operands, Names Allowed) {
  begin();
  this->Allowed = Allowed;
  for (unsigned I = 0; I < Operands.size(); ++I)
    Scopes[0].Names.try_emplace("%" + utostr(I), Entity{Operand::Kind::Register, I});
  F.Registers.assign(Operands.begin(), Operands.end());
  RegisterCount = Operands.size();
  if (statements() || (T.K != Token::Kind::End && expected("an instruction or a directive")))
    return takeError();
  resolveLabels();
  return std::move(F);
}

bool StatementParser::declare(StringRef Name, Entity E, Position At) {
  if (!Scopes[Current].Names.try_emplace(Name, E).second)
    return error(At, "expected a new name, found a second declaration of '" + Name + "'");
  return false;
}

bool StatementParser::statements() {
  while (true) {
    if (T.is('{')) {
      if (++Depth == MaxBlockDepth)
        return expected("at most " + Twine(MaxBlockDepth) + " nested blocks");
      Scopes.emplace_back();
      Scopes.back().Parent = Current;
      Current = Scopes.size() - 1;
      advance();
    } else if (T.is('}') && Depth) {
      advance();
      --Depth;
      Current = Scopes[Current].Parent;
    } else if (T.is('}') || (T.K == Token::Kind::End && !Depth)) {
      return false;
    } else if (T.K == Token::Kind::Name) {
      if (isName("reg") ? registers() : isName("pragma") ? pragma() : directive())
        return true;
    } else if (T.is(';')) {
      advance();
    } else if (T.is('@')) {
      if (guarded())
        return true;
    } else if (T.K == Token::Kind::Identifier) {
      StringRef Name = T.Text;
      Position At = T.At;
      const char *Begin = T.Begin;
      advance();
      if (T.is(':') ? label(Name, At) : instruction(Name, At, Begin))
        return true;
    } else {
      return expected("an instruction, a directive or '}'");
    }
  }
}

bool StatementParser::directive() { return expected("the directive '.reg' or '.pragma'"); }

/// Reads .pragma "nounroll"; before or after a label.
bool StatementParser::pragma() {
  advance();
  bool NoUnroll = T.K == Token::Kind::String && T.Text == "nounroll";
  while (T.K == Token::Kind::String) {
    advance();
    if (!accept(','))
      break;
  }
  if (NoUnroll && !F.Body.empty() && F.Body.back().IsLabel)
    F.Labels[F.Body.back().Index].NoUnroll = true;
  else if (NoUnroll)
    PendingNoUnroll = true;
  return expect(';', "after .pragma");
}

bool StatementParser::label(StringRef Name, Position At) {
  advance();
  if (!Scopes[Current].Labels.try_emplace(Name, F.Labels.size()).second)
    return error(At, "expected a new label, found a second '" + Name + "'");
  Label New;
  New.Name = Name;
  if (labelled(New))
    return true;
  if (New.isCode()) {
    New.NoUnroll = PendingNoUnroll;
    PendingNoUnroll = false;
    F.Body.push_back({true, unsigned(F.Labels.size())});
  }
  F.Labels.push_back(std::move(New));
  return false;
}

bool StatementParser::labelled(Label &) { return false; }

/// Reads .reg .b32 %r<20>, %a, %b;
bool StatementParser::registers() {
  advance();
  std::optional<Type> Ty = T.K == Token::Kind::Name ? typeNamed(T.Text) : std::nullopt;
  if (!Ty || !Ty->isHeld())
    return expected("the type of a register");
  advance();
  do {
    StringRef Name;
    Position At = T.At;
    if (identifier(Name, "the name of a register"))
      return true;
    unsigned Count = 1, First = F.Registers.size();
    bool Range = accept('<');
    if (Range && (unsignedNumber(Count, "the number of registers") ||
                  expect('>', "after the number of registers")))
      return true;
    if (Count > MaxRegisters - RegisterCount)
      return error(At, "expected at most " + Twine(MaxRegisters) + " registers in a module");
    RegisterCount += Count;
    F.Registers.resize(First + Count, *Ty);
    if (!Range) {
      if (declare(Name, {Operand::Kind::Register, First}, At))
        return true;
    } else if (!Scopes[Current].Ranges.try_emplace(Name, RegisterRange{First, Count}).second) {
      return error(At, "expected a new name, found a second declaration of '" + Name + "'");
    }
  } while (accept(','));
  return expect(';', "after the registers");
}

//===--- Instructions -----------------------------------------------------===//

/// Reads @p add.s32 …, @!p add.s32 …
bool StatementParser::guarded() {
  Position At = T.At;
  const char *Begin = T.Begin;
  advance();
  Operand Guard;
  Guard.Negated = accept('!');
  if (T.K != Token::Kind::Identifier || !isPredicate(T.Text, Guard))
    return expected("a predicate register");
  advance();
  StringRef Opcode;
  if (identifier(Opcode, "an instruction") || instruction(Opcode, At, Begin))
    return true;
  F.Instructions.back().Guard = Guard;
  return false;
}

bool StatementParser::isPredicate(StringRef Name, Operand &Guard) const {
  if (lookUp(Name, Guard))
    return Guard.isRegister() && F.Registers[Guard.Index].Kind == TypeKind::Predicate;
  Guard.K = Operand::Kind::Symbol;
  Guard.Name = Name;
  return Allowed == Names::Any;
}

/// Reads the rest of an instruction, which begins at Begin.
bool StatementParser::instruction(StringRef Opcode, Position At, const char *Begin) {
  Instruction I;
  I.Opcode = Opcode;
  I.At = At;
  I.Line = CurrentLine;
  // NVIDIA's own generators write opcodes that begin with an underscore, such as _mma.
  const StringRef Letters = Opcode.ltrim('_');
  if (Letters.empty() || !isLower(Letters[0]))
    return error(At, "expected an instruction, found '" + Opcode + "'");
  for (; T.K == Token::Kind::Name; advance())
    I.Modifiers.push_back(T.Text);
  if (operands(I.Operands, ';', 0, "the operands of '" + Opcode + "'"))
    return true;
  I.Text = StringRef(Begin, PreviousEnd - Begin - 1).rtrim();
  F.Body.push_back({false, unsigned(F.Instructions.size())});
  F.Instructions.push_back(std::move(I));
  return false;
}

/// Reads operands up to Close, which is read too.
bool StatementParser::operands(std::vector<Operand> &Out, char Close, unsigned Depth,
                               const Twine &What) {
  if (!T.is(Close))
    do {
      Out.emplace_back();
      if (operand(Out.back(), Depth))
        return true;
    } while (accept(','));
  return expect(Close, "after " + What);
}

bool StatementParser::operand(Operand &O, unsigned Depth) {
  if (Depth > MaxOperandDepth)
    return expected("operands nested at most " + Twine(MaxOperandDepth) + " deep");
  if (primary(O, Depth))
    return true;
  if (T.is('|')) {
    advance();
    Operand Pair;
    Pair.K = Operand::Kind::Pair;
    Pair.Parts.resize(2);
    Pair.Parts[0] = std::move(O);
    if (primary(Pair.Parts[1], Depth))
      return true;
    O = std::move(Pair);
  }
  return false;
}

/// Reads +4, -4, +-4 after a name, if there is one.
bool StatementParser::offset(Operand &O) {
  while (T.is('+') || T.is('-')) {
    bool Negative = T.is('-');
    advance();
    if (T.is('-')) {
      Negative = !Negative;
      advance();
    }
    if (T.K != Token::Kind::Integer)
      return expected("an offset");
    O.Bits += Negative ? 0 - T.Bits : T.Bits;
    advance();
  }
  return false;
}

bool StatementParser::primary(Operand &O, unsigned Depth) {
  if (accept('{')) {
    O.K = Operand::Kind::Vector;
    return operands(O.Parts, '}', Depth + 1, "the vector");
  }
  if (accept('(')) {
    O.K = Operand::Kind::List;
    return operands(O.Parts, ')', Depth + 1, "the list");
  }
  if (accept('[')) {
    O.K = Operand::Kind::Address;
    O.Parts.emplace_back();
    if (operand(O.Parts[0], Depth + 1) || offset(O))
      return true;
    // An offset that named() has read with a symbol belongs to the address.
    Operand &Base = O.Parts[0];
    if (Base.K == Operand::Kind::Symbol || Base.K == Operand::Kind::Variable) {
      O.Bits += Base.Bits;
      Base.Bits = 0;
    }
    if (accept(','))
      return operands(O.Parts, ']', Depth + 1, "the address");
    return expect(']', "after the address");
  }
  if (accept('!'))
    O.Negated = true;
  if (T.K == Token::Kind::Identifier)
    return named(O);
  bool Minus = accept('-');
  if (T.K != Token::Kind::Integer && T.K != Token::Kind::Float)
    return expected("an operand");
  O.Name = T.Text;
  O.Bits = T.Bits;
  O.FloatWidth = T.FloatWidth;
  O.K = T.K == Token::Kind::Float ? Operand::Kind::Float : Operand::Kind::Integer;
  if (Minus)
    O.Bits = O.FloatWidth ? O.Bits ^ (uint64_t(1) << (O.FloatWidth - 1)) : 0 - O.Bits;
  advance();
  return false;
}

/// Finds a register or local variable. Returns false if there is none.
bool StatementParser::lookUp(StringRef Name, Operand &O) const {
  StringRef Prefix = Name.rtrim("0123456789");
  StringRef Digits = Name.drop_front(Prefix.size());
  for (unsigned S = Current;; S = Scopes[S].Parent) {
    auto Found = Scopes[S].Names.find(Name);
    if (Found != Scopes[S].Names.end()) {
      O.K = Found->second.K;
      O.Index = Found->second.Index;
      O.Name = Name;
      return true;
    }
    // %r10<5> declares %r100 … %r104.
    size_t MaxDigits = utostr(MaxRegisters).size();
    for (size_t Taken = Digits.size() - std::min(Digits.size(), MaxDigits); Taken < Digits.size();
         ++Taken) {
      auto Range = Scopes[S].Ranges.find(Name.take_front(Prefix.size() + Taken));
      StringRef Rest = Digits.drop_front(Taken);
      unsigned Number = 0;
      if (Range == Scopes[S].Ranges.end() || Rest.getAsInteger(10, Number) ||
          (Rest.size() > 1 && Rest[0] == '0') || Number >= Range->second.Count)
        continue;
      O.K = Operand::Kind::Register;
      O.Index = Range->second.First + Number;
      O.Name = Name;
      return true;
    }
    if (!S)
      return false;
  }
}

static bool isSpecialRegister(StringRef Name) {
  return StringSwitch<bool>(Name.drop_front().rtrim("0123456789"))
             .Cases({"tid", "ntid", "laneid", "warpid", "nwarpid", "ctaid", "nctaid"}, true)
             .Cases({"smid", "nsmid", "gridid", "clusterid", "nclusterid"}, true)
             .Cases({"is_explicit_cluster", "cluster_ctaid", "cluster_nctaid"}, true)
             .Cases({"cluster_ctarank", "cluster_nctarank", "clock", "clock_hi", "pm"}, true)
             .Cases({"envreg", "globaltimer", "globaltimer_lo", "globaltimer_hi"}, true)
             .Cases({"total_smem_size", "aggr_smem_size", "dynamic_smem_size"}, true)
             .Cases({"current_graph_exec"}, true)
             .Default(false) ||
         Name.starts_with("%lanemask_") || Name.starts_with("%reserved_smem_offset_") ||
         Name.starts_with("%pm");
}

bool StatementParser::named(Operand &O) {
  O.Name = T.Text;
  O.Scope = Current;
  Position At = T.At;
  const char *Begin = T.Begin;
  bool Known = lookUp(T.Text, O);
  advance();
  if (T.K == Token::Kind::Name && T.Adjacent && T.Text.size() <= 2) {
    O.Selector = T.Text;
    advance();
  }
  if (O.Name == "_")
    O.K = Operand::Kind::Sink;
  else if (!Known && O.Name.starts_with("%") &&
           (Allowed == Names::Declared || isSpecialRegister(O.Name))) {
    if (!isSpecialRegister(O.Name))
      return error(At, "expected a declared register, found '" + O.Name + "'");
    O.K = Operand::Kind::Special;
    O.Name = StringRef(Begin, PreviousEnd - Begin);
    O.Selector = {};
  } else if (!Known && O.Name == "WARP_SZ") {
    O.K = Operand::Kind::Integer;
    O.Bits = 32;
  } else if (!Known) {
    O.K = Operand::Kind::Symbol;
  }
  if (O.K == Operand::Kind::Symbol || O.K == Operand::Kind::Variable)
    return offset(O);
  return false;
}

void StatementParser::resolveLabels(Operand &O) {
  for (Operand &Part : O.Parts)
    resolveLabels(Part);
  if (O.K != Operand::Kind::Symbol)
    return;
  for (unsigned S = O.Scope;; S = Scopes[S].Parent) {
    auto Found = Scopes[S].Labels.find(O.Name);
    if (Found != Scopes[S].Labels.end()) {
      O.K = Operand::Kind::Label;
      O.Index = Found->second;
      return;
    }
    if (!S)
      return;
  }
}

void StatementParser::resolveLabels() {
  for (Instruction &I : F.Instructions)
    for (Operand &O : I.Operands)
      resolveLabels(O);
  for (Label &L : F.Labels)
    if (L.Targets)
      for (Operand &O : *L.Targets)
        resolveLabels(O);
}

/// Returns an error if an operand is a symbol: a statement has no variables.
static Error checkSymbols(const Operand &O, Position At, StringRef File) {
  if (O.K == Operand::Kind::Symbol)
    return createStringError(File + ":" + Twine(At.Line) + ":" + Twine(At.Column) +
                             ": expected a register or a label, found '" + O.Name + "'");
  for (const Operand &Part : O.Parts)
    if (Error E = checkSymbols(Part, At, File))
      return E;
  return Error::success();
}

Expected<Function> parseStatements(StringRef Text, ArrayRef<Type> Operands, StringRef File,
                                   Names Allowed) {
  Expected<Function> F =
      StatementParser(Text, File, "the end of the statement").run(Operands, Allowed);
  if (F && Allowed == Names::Declared)
    for (const Instruction &I : F->Instructions)
      for (const Operand &O : I.Operands)
        if (Error E = checkSymbols(O, I.At, File))
          return E;
  return F;
}

} // namespace gmprof::ptx
