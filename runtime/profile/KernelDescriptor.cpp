//===- KernelDescriptor.cpp - Decodes kernel descriptors ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/KernelDescriptor.h"
#include "profile/DescriptorParts.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace gmprof {
namespace {

/// Upper bound of flag numbers, above what any pass makes: hit arrays grow with it.
constexpr uint32_t MaxFlag = 1024;

class Decoder : DescriptorParts {
public:
  using DescriptorParts::DescriptorParts;
  Result<profile::Descriptor> decode();

private:
  /// Read one part each, and return true if it is valid; else `Why` holds the reason.
  bool header();
  bool globalHeader();
  bool pointer(profile::Variable &To, const GmprofVariableDesc &From);
  bool variables();
  bool sites();
  bool statics();
  bool moves();
  bool forms();
  bool heatForms();
  bool touches();
  bool inlines();
  bool callees();

  bool inlinedAt(uint32_t &To, uint32_t Index);

  profile::Descriptor Desc;
};

} // namespace

bool Decoder::header() {
  if (Bytes.size() < 2 * sizeof(uint32_t))
    return invalid("it is shorter than its header");
  std::memcpy(&Header, Bytes.data(), std::min(Bytes.size(), sizeof(Header)));
  if (Header.magic != GMPROF_DESC_MAGIC)
    return invalid("it does not start with its magic number");
  if (Header.abiVersion != GMPROF_ABI_VERSION) {
    Why = "it has ABI version " + std::to_string(Header.abiVersion) + " and this runtime has " +
          std::to_string(GMPROF_ABI_VERSION) + ": rebuild the program with this GMProf's plugin";
    return false;
  }
  if (Bytes.size() < sizeof(Header))
    return invalid("it is shorter than its header");
  if (Header.bytes != Bytes.size())
    return invalid("its size is not the one that it states");
  if (Header.counterBits != 8 && Header.counterBits != 16 && Header.counterBits != 32)
    return invalid("its counters are not of 8, 16 or 32 bits");
  if (Header.sharedLevel > GMPROF_LEVEL_SA_NA_SM_TH)
    return invalid("its level is unknown");
  return (Header.modes & GMPROF_MODE_GLOBAL) == 0 || globalHeader();
}

bool Decoder::globalHeader() {
  unsigned Bits = Header.globalCounterBits;
  if (Bits != 8 && Bits != 16 && Bits != 32)
    return invalid("its counters of global memory are not of 8, 16 or 32 bits");
  if (Header.globalLevel > GMPROF_LEVEL_SA_NA_SM_TH)
    return invalid("its level is unknown");
  Desc.GlobalLevel = static_cast<GmprofLevel>(Header.globalLevel);
  Desc.GlobalCounterBits = Bits;
  Desc.GlobalThreshold = Header.globalThreshold;
  return true;
}

/// Decodes how a launch finds the address of the variable's memory.
bool Decoder::pointer(profile::Variable &To, const GmprofVariableDesc &From) {
  if ((Header.modes & (GMPROF_MODE_GLOBAL | GMPROF_MODE_OBJECTS)) == 0)
    return true;
  if ((From.parameter != GMPROF_NONE && From.parameter >= Header.paramCount) ||
      (From.root != GMPROF_NONE && From.root >= GMPROF_GLOBAL_ROOTS))
    return invalid("a variable is reached through a parameter that it does not have");
  To.Parameter = From.parameter;
  To.ParameterOffset = From.parameterOffset;
  To.Root = From.root;
  return text(To.Symbol, From.symbol);
}

bool Decoder::variables() {
  std::vector<GmprofVariableDesc> Raw;
  if (!array(Raw, Header.varsOffset, Header.varCount))
    return false;
  for (const GmprofVariableDesc &R : Raw) {
    profile::Variable &V = Desc.Variables.emplace_back();
    if (!text(V.Name, R.name) || !text(V.Type, R.type) || !file(V.Source, R.file, R.line))
      return false;
    if (R.kind > GMPROF_VARIABLE_LOCAL)
      return invalid("a variable is of unknown kind");
    V.Kind = static_cast<GmprofVariableKind>(R.kind);
    V.ElementBytes = R.elementBytes;
    V.Bytes = R.bytes;
    if (!pointer(V, R))
      return false;
  }
  return true;
}

bool Decoder::sites() {
  std::vector<GmprofSiteDesc> Raw;
  if (!array(Raw, Header.sitesOffset, Header.siteCount))
    return false;
  for (const GmprofSiteDesc &R : Raw) {
    profile::Site &S = Desc.Sites.emplace_back();
    if (R.variable != GMPROF_NONE && R.variable >= Header.varCount)
      return invalid("an access is to a variable that it does not have");
    if (R.kind > GMPROF_ACCESS_BARRIER || R.space > GMPROF_SPACE_SHARED_CLUSTER ||
        R.rule > GMPROF_RULE_CLOSED_FORM || R.globalRule > GMPROF_RULE_SWEEP || R.reduction > 1 ||
        R.machineWidth > 1)
      return invalid("an access is of unknown kind");
    if (!file(S.Source, R.file, R.line) || !text(S.Function, R.function) ||
        !text(S.Reason, R.reason) || !text(S.GlobalReason, R.globalReason) ||
        !inlinedAt(S.InlinedAt, R.inlinedAt))
      return false;
    S.Unit = R.functionSite == GMPROF_NONE ? 0 : Header.unit;
    S.FunctionSite = R.functionSite;
    S.Source.Column = R.column;
    S.Variable = R.variable;
    S.Kind = static_cast<GmprofAccessKind>(R.kind);
    S.Space = static_cast<GmprofSpace>(R.space);
    S.Bytes = R.bytes;
    S.Reduction = R.reduction != 0;
    S.MachineWidth = R.machineWidth != 0;
    S.Rule = static_cast<GmprofRule>(R.rule);
    S.GlobalRule = static_cast<GmprofRule>(R.globalRule);
  }
  return true;
}

bool Decoder::inlinedAt(uint32_t &To, uint32_t Index) {
  if (Index != GMPROF_NONE && Index >= Header.inlineCount)
    return invalid("an access is in an inlined call that it does not have");
  To = Index;
  return true;
}

bool Decoder::inlines() {
  std::vector<GmprofInlineDesc> Raw;
  if (!array(Raw, Header.inlinesOffset, Header.inlineCount))
    return false;
  for (const GmprofInlineDesc &R : Raw) {
    // Parents come first, so that chains end.
    if (R.parent != GMPROF_NONE && R.parent >= Desc.Inlines.size())
      return invalid("an inlined call is in one that does not come before it");
    profile::InlinedCall &C = Desc.Inlines.emplace_back();
    if (!text(C.Function, R.function) || !file(C.Source, R.file, R.line))
      return false;
    C.Source.Column = R.column;
    C.Parent = R.parent;
  }
  return true;
}

bool Decoder::callees() {
  std::vector<gmprof_u32> Raw;
  if (!array(Raw, Header.calleesOffset, Header.calleeCount))
    return false;
  for (gmprof_u32 Name : Raw)
    if (!text(Desc.Callees.emplace_back(), Name))
      return false;
  return true;
}

bool Decoder::statics() {
  std::vector<GmprofStaticDesc> Raw;
  if (!array(Raw, Header.staticsOffset, Header.staticCount))
    return false;
  for (const GmprofStaticDesc &R : Raw) {
    if (R.variable >= Header.varCount || (R.site != GMPROF_NONE && R.site >= Header.siteCount))
      return invalid("a static count is of a variable or access that it does not have");
    uint64_t Size = Desc.Variables[R.variable].Bytes;
    if (Size != 0 && (R.offset > Size || R.bytes > Size - R.offset))
      return invalid("a static count lies outside its variable");
    Desc.Statics.push_back({R.variable, R.site, R.offset, R.bytes, R.count});
  }
  return true;
}

bool Decoder::forms() {
  std::vector<GmprofFormDesc> Raw;
  std::vector<int64_t> Words;
  if (!array(Raw, Header.formsOffset, Header.formCount) ||
      !array(Words, Header.formWordsOffset, Header.formWordCount))
    return false;
  for (const GmprofFormDesc &R : Raw) {
    if (R.variable >= Header.varCount || R.site >= Header.siteCount)
      return invalid("a closed form is of a variable or access that it does not have");
    if (R.firstWord > Words.size() || R.wordCount > Words.size() - R.firstWord)
      return invalid("a closed form lies outside it");
    auto First = Words.begin() + R.firstWord;
    const GmprofVariableKind Kind = Desc.Variables[R.variable].Kind;
    const bool Shared = Kind == GMPROF_VARIABLE_SHARED || Kind == GMPROF_VARIABLE_SHARED_DYNAMIC;
    (Shared ? Desc.SharedForms : Desc.Forms)
        .push_back({R.site, R.variable, {First, First + R.wordCount}});
  }
  return true;
}

bool Decoder::heatForms() {
  std::vector<GmprofHeatFormDesc> Raw;
  std::vector<int64_t> Words;
  if (!array(Raw, Header.heatFormsOffset, Header.heatFormCount) ||
      !array(Words, Header.formWordsOffset, Header.formWordCount))
    return false;
  constexpr uint32_t Largest = 1 << 20;
  for (const GmprofHeatFormDesc &R : Raw) {
    if (R.variable >= Header.varCount || R.site >= Header.siteCount)
      return invalid("a closed form is of a variable or access that it does not have");
    if (R.firstWord > Words.size() || R.wordCount > Words.size() - R.firstWord)
      return invalid("a closed form lies outside it");
    if (!std::has_single_bit(R.pieceBytes) || R.pieceBytes > 16 || R.bytes == 0 ||
        R.bytes > Largest || (R.bytes % R.pieceBytes != 0 && R.pieceBytes % R.bytes != 0))
      return invalid("an access of a closed form has no valid size");
    profile::HeatForm F;
    F.Site = R.site;
    F.Variable = R.variable;
    F.Words.assign(Words.begin() + R.firstWord, Words.begin() + R.firstWord + R.wordCount);
    F.ProgramLoops = R.loops;
    F.Offset = static_cast<int32_t>(R.offset);
    F.Bytes = R.bytes;
    F.PieceBytes = R.pieceBytes;
    Desc.HeatForms.push_back(std::move(F));
  }
  return true;
}

bool Decoder::touches() {
  std::vector<GmprofTouchDesc> Raw;
  std::vector<int64_t> Words;
  if (!array(Raw, Header.touchesOffset, Header.touchCount) ||
      !array(Words, Header.formWordsOffset, Header.formWordCount))
    return false;
  constexpr gmprof_u32 Kinds = GMPROF_TOUCH_READS | GMPROF_TOUCH_WRITES | GMPROF_TOUCH_TEXTURE;
  for (const GmprofTouchDesc &R : Raw) {
    if (R.variable != GMPROF_NONE && R.variable >= Header.varCount)
      return invalid("a touch is of a variable that it does not have");
    const bool OfObject = R.rule == GMPROF_TOUCH_SEARCH || R.rule == GMPROF_TOUCH_POSSIBLE;
    if (R.rule > GMPROF_TOUCH_POSSIBLE || (R.kinds & ~Kinds) != 0 ||
        (R.variable == GMPROF_NONE && !OfObject))
      return invalid("a touch is of unknown kind");
    if (R.rule == GMPROF_TOUCH_FLAG && (R.flag < GMPROF_HIT_FIRST_FLAG || R.flag >= MaxFlag))
      return invalid("a touch has a flag that there is not");
    if (R.firstWord > Words.size() || R.wordCount > Words.size() - R.firstWord)
      return invalid("a closed form lies outside it");
    auto First = Words.begin() + R.firstWord;
    if (R.rule == GMPROF_TOUCH_FORM)
      Desc.TouchForms.push_back(
          {static_cast<uint32_t>(Desc.Touches.size()), R.variable, {First, First + R.wordCount}});
    Desc.Touches.push_back({R.variable, R.kinds, static_cast<GmprofTouchRule>(R.rule), R.flag});
  }
  return true;
}

bool Decoder::moves() {
  std::vector<GmprofMoveDesc> Raw;
  if (!array(Raw, Header.movesOffset, Header.moveCount) ||
      !array(Desc.RangeVariables, Header.rangesOffset, Header.rangeCount))
    return false;
  auto IsVariable = [&](uint32_t V) { return V < Header.varCount; };
  for (const GmprofMoveDesc &R : Raw) {
    profile::Move &M = Desc.Moves.emplace_back();
    if (R.kind > GMPROF_MOVE_END)
      return invalid("a move is of unknown kind");
    for (uint32_t V : {R.variable, R.other})
      if (V != GMPROF_NONE && !IsVariable(V))
        return invalid("a move is of a variable that it does not have");
    if (!file(M.Source, R.file, R.line) || !text(M.Function, R.function) ||
        !inlinedAt(M.InlinedAt, R.inlinedAt))
      return false;
    M.Source.Column = R.column;
    M.Kind = static_cast<GmprofMoveKind>(R.kind);
    M.Shared = R.variable;
    M.Global = R.other;
    M.Bytes = R.bytes;
  }
  if (!std::all_of(Desc.RangeVariables.begin(), Desc.RangeVariables.end(), IsVariable))
    return invalid("live ranges are of a variable that it does not have");
  return true;
}

Result<profile::Descriptor> Decoder::decode() {
  if (!header() || !strings() || !text(Desc.Name, Header.name) ||
      !file(Desc.Source, Header.file, Header.line) || !text(Desc.SkipReason, Header.skipReason) ||
      !text(Desc.SharedReason, Header.sharedReason) || !inlines() || !callees() || !variables() ||
      !sites() || !statics() || !moves() || !forms() || !heatForms() || !touches())
    return error();
  Desc.ParamCount = Header.paramCount;
  Desc.Modes = Header.modes;
  Desc.Flags = Header.flags;
  Desc.Level = static_cast<GmprofLevel>(Header.sharedLevel);
  Desc.CounterBits = Header.counterBits;
  Desc.Threshold = Header.threshold;
  return std::move(Desc);
}

size_t descriptorBytes(std::span<const std::byte> Bytes) {
  GmprofKernelDesc Header;
  if (Bytes.size() < sizeof(Header))
    return Bytes.size();
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  const bool Stated = Header.magic == GMPROF_DESC_MAGIC &&
                      Header.abiVersion == GMPROF_ABI_VERSION && Header.bytes >= sizeof(Header);
  return Stated ? std::min<size_t>(Bytes.size(), Header.bytes) : Bytes.size();
}

/// Adds the sites of functions that To lacks. Their variables are unknown in the kernel.
static void addFunctions(profile::Descriptor &To, const profile::Descriptor &From) {
  std::set<std::pair<uint64_t, uint32_t>> Known;
  for (const profile::Site &S : To.Sites)
    Known.emplace(S.Unit, S.FunctionSite);
  const auto Inlines = static_cast<uint32_t>(To.Inlines.size());
  for (profile::InlinedCall C : From.Inlines) {
    C.Parent += C.Parent == profile::None ? 0 : Inlines;
    To.Inlines.push_back(std::move(C));
  }
  for (profile::Site S : From.Sites) {
    if (S.FunctionSite == profile::None || !Known.emplace(S.Unit, S.FunctionSite).second)
      continue;
    S.Variable = profile::None;
    S.InlinedAt += S.InlinedAt == profile::None ? 0 : Inlines;
    To.Sites.push_back(std::move(S));
  }
}

std::vector<const profile::InlinedCall *> inlineChain(const profile::Descriptor &Desc,
                                                      uint32_t InlinedAt) {
  std::vector<const profile::InlinedCall *> Chain;
  for (uint32_t At = InlinedAt; At != profile::None; At = Desc.Inlines[At].Parent)
    Chain.push_back(&Desc.Inlines[At]);
  return Chain;
}

Result<profile::Descriptor> decodeDescriptor(std::span<const std::byte> Bytes) {
  size_t Size = descriptorBytes(Bytes);
  Result<profile::Descriptor> Desc = Decoder(Bytes.first(Size)).decode();
  while (Desc && Size != Bytes.size()) {
    Bytes = Bytes.subspan(Size);
    Size = descriptorBytes(Bytes);
    Result<profile::Descriptor> Function = Decoder(Bytes.first(Size)).decode();
    if (!Function)
      return Function;
    addFunctions(*Desc, *Function);
  }
  return Desc;
}

static bool accesses(const profile::Descriptor &Desc, std::initializer_list<GmprofSpace> Spaces) {
  return std::ranges::any_of(Desc.Sites, [&](const profile::Site &S) {
    return std::ranges::find(Spaces, S.Space) != Spaces.end();
  });
}

bool usesSharedMemory(const profile::Descriptor &Desc) {
  constexpr unsigned Modes = GMPROF_MODE_SHARED | GMPROF_MODE_SHARED_DM | GMPROF_MODE_SHARED_ALL |
                             GMPROF_MODE_SHARED_KNOWN;
  const auto IsShared = [](const profile::Variable &V) {
    return V.Kind == GMPROF_VARIABLE_SHARED || V.Kind == GMPROF_VARIABLE_SHARED_DYNAMIC;
  };
  return (Desc.Modes & Modes) != 0 || std::ranges::any_of(Desc.Variables, IsShared) ||
         accesses(Desc, {GMPROF_SPACE_SHARED, GMPROF_SPACE_SHARED_CLUSTER});
}

bool usesGlobalMemory(const profile::Descriptor &Desc) {
  return (Desc.Modes & GMPROF_MODE_GLOBAL) != 0 ||
         accesses(Desc, {GMPROF_SPACE_GLOBAL, GMPROF_SPACE_GENERIC});
}

bool usesNotedMemory(const profile::Descriptor &Desc) {
  return (Desc.Modes & GMPROF_MODE_HEAT) != 0 ||
         accesses(Desc, {GMPROF_SPACE_GLOBAL, GMPROF_SPACE_SHARED, GMPROF_SPACE_SHARED_CLUSTER,
                         GMPROF_SPACE_GENERIC});
}

bool usesCachedMemory(const profile::Descriptor &Desc) {
  return (Desc.Modes & GMPROF_MODE_CACHE) != 0 ||
         accesses(Desc, {GMPROF_SPACE_GLOBAL, GMPROF_SPACE_LOCAL, GMPROF_SPACE_GENERIC});
}

} // namespace gmprof
