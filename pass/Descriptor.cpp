//===- Descriptor.cpp - The kernel's description in the module ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

#include "static-analysis/AddressSpaces.h"
#include "static-analysis/Variables.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <array>
#include <map>

using namespace llvm;
using namespace gmprof;

void KernelDescription::add(const FunctionSites &Function) {
  SmallVector<int> Indices;
  for (const SiteVariable &V : Function.Variables) {
    // A variable of the module is the same one in every function.
    auto Known =
        find_if(Variables, [&](const Variable &Other) { return V.Base && Other.Base == V.Base; });
    Indices.push_back(static_cast<int>(Known - Variables.begin()));
    if (Known == Variables.end())
      Variables.push_back(V);
  }
  for (HeatFormSite F : Function.HeatForms) {
    F.Site += Sites.size();
    F.Variable = Indices[F.Variable];
    HeatForms.push_back(std::move(F));
  }
  for (Site S : Function.Sites) {
    if (S.Variable >= 0)
      S.Variable = Indices[S.Variable];
    Sites.push_back(std::move(S));
  }
  for (MoveSite M : Function.Moves) {
    for (int *Variable : {&M.Shared, &M.Global})
      if (*Variable >= 0)
        *Variable = Indices[*Variable];
    Moves.push_back(std::move(M));
  }
  for (TouchSite T : Function.Touches) {
    if (T.Variable >= 0)
      T.Variable = Indices[T.Variable];
    Touches.push_back(std::move(T));
  }
  if (Function.HasOpaqueCalls)
    Flags |= GMPROF_KERNEL_OPAQUE_CALLS;
}

unsigned KernelDescription::indexOf(const GlobalVariable &V) {
  auto Known = find_if(Variables, [&](const Variable &Other) { return Other.Base == &V; });
  if (Known != Variables.end())
    return Known - Variables.begin();
  std::vector<Variable> Described;
  VariableTable Table(Described);
  Table.indexOf(&V);
  Table.finish();
  Variables.push_back(siteVariable(Described.front()));
  return Variables.size() - 1;
}

namespace {

/// Strings of a descriptor, each once. Offset 0 is the empty string.
class StringTable {
public:
  uint32_t offset(StringRef S) {
    if (S.empty())
      return 0;
    auto [Place, New] = Offsets.insert({S, static_cast<uint32_t>(Bytes.size())});
    if (New) {
      Bytes.append(S.begin(), S.end());
      Bytes.push_back('\0');
    }
    return Place->second;
  }
  const std::string &bytes() const { return Bytes; }

private:
  std::string Bytes = std::string(1, '\0');
  StringMap<uint32_t> Offsets;
};

template <class T> Constant *integer(LLVMContext &Context, T Value) {
  return ConstantInt::get(IntegerType::get(Context, sizeof(T) * 8), Value);
}

// The same structs as LLVM constants, field by field.
#define GMPROF_FIELD(type, name) integer<type>(Context, S.name),
#define FIELDS_OF(Struct, Fields)                                                                  \
  Constant *toConstant(LLVMContext &Context, const Struct &S) {                                    \
    return ConstantStruct::getAnon(Context, {Fields});                                             \
  }
FIELDS_OF(GmprofKernelDesc, GMPROF_KERNEL_DESC_FIELDS)
FIELDS_OF(GmprofVariableDesc, GMPROF_VARIABLE_DESC_FIELDS)
FIELDS_OF(GmprofSiteDesc, GMPROF_SITE_DESC_FIELDS)
FIELDS_OF(GmprofStaticDesc, GMPROF_STATIC_DESC_FIELDS)
FIELDS_OF(GmprofFormDesc, GMPROF_FORM_DESC_FIELDS)
FIELDS_OF(GmprofMoveDesc, GMPROF_MOVE_DESC_FIELDS)
FIELDS_OF(GmprofTouchDesc, GMPROF_TOUCH_DESC_FIELDS)
FIELDS_OF(GmprofHeatFormDesc, GMPROF_HEAT_FORM_DESC_FIELDS)
FIELDS_OF(GmprofInlineDesc, GMPROF_INLINE_DESC_FIELDS)
#undef FIELDS_OF
#undef GMPROF_FIELD

template <class T> Constant *toConstant(LLVMContext &Context, const std::vector<T> &Elements) {
  SmallVector<Constant *, 0> Constants;
  for (const T &Element : Elements)
    Constants.push_back(toConstant(Context, Element));
  // An empty array has no element to take the type from.
  Type *ElementType = Constants.empty() ? Type::getInt8Ty(Context) : Constants.front()->getType();
  return ConstantArray::get(ArrayType::get(ElementType, Constants.size()), Constants);
}

class DescriptorBuilder {
public:
  DescriptorBuilder(const KernelDescription &Description, const Options &O)
      : D(Description), O(O), Context(Description.Kernel->getContext()) {}

  Constant *build() {
    describeKernel();
    for (const SiteVariable &V : D.Variables)
      Variables.push_back({Strings.offset(V.Name), Strings.offset(V.Type), Strings.offset(V.File),
                           V.Line, static_cast<gmprof_u32>(V.Kind), V.ElementBytes, V.Bytes,
                           Strings.offset(V.Symbol), static_cast<gmprof_u32>(V.Parameter),
                           static_cast<gmprof_u32>(V.ParameterOffset),
                           V.Root.value_or(GMPROF_NONE)});
    for (const Site &S : D.Sites)
      describeSite(S);
    for (const MoveSite &M : D.Moves)
      describeMove(M);
    for (const TouchSite &T : D.Touches)
      describeTouch(T);
    for (const HeatFormSite &F : D.HeatForms)
      describeHeat(F);
    for (const Function *F : D.Callees)
      Callees.push_back(Strings.offset(F->getName()));
    layOut();
    Constant *Parts[] = {toConstant(Context, Header),
                         toConstant(Context, Variables),
                         toConstant(Context, Sites),
                         toConstant(Context, Statics),
                         toConstant(Context, Forms),
                         ConstantDataArray::get(Context, ArrayRef(FormWords)),
                         toConstant(Context, Moves),
                         ConstantDataArray::get(Context, ArrayRef<uint32_t>(Ranges)),
                         toConstant(Context, Touches),
                         toConstant(Context, HeatForms),
                         toConstant(Context, Inlines),
                         ConstantDataArray::get(Context, ArrayRef<uint32_t>(Callees)),
                         ConstantDataArray::getString(Context, Strings.bytes(), false)};
    return ConstantStruct::getAnon(Context, Parts);
  }

private:
  const KernelDescription &D;
  const Options &O;
  LLVMContext &Context;
  StringTable Strings;
  GmprofKernelDesc Header = {};
  std::vector<GmprofVariableDesc> Variables;
  std::vector<GmprofSiteDesc> Sites;
  std::vector<GmprofStaticDesc> Statics;
  std::vector<GmprofFormDesc> Forms;
  std::vector<gmprof_i64> FormWords;
  std::vector<GmprofMoveDesc> Moves;
  std::vector<uint32_t> Ranges;
  std::vector<GmprofTouchDesc> Touches;
  std::vector<GmprofHeatFormDesc> HeatForms;
  std::vector<GmprofInlineDesc> Inlines;
  std::map<std::array<gmprof_u32, 5>, gmprof_u32> InlineAt; ///< by its fields
  std::vector<uint32_t> Callees;
  std::map<std::vector<int64_t>, gmprof_u32> WordsAt;

  void describeKernel() {
    Header.magic = GMPROF_DESC_MAGIC;
    Header.abiVersion = GMPROF_ABI_VERSION;
    Header.paramCount = D.Kernel->arg_size();
    Header.name = Strings.offset(D.Kernel->getName());
    if (const DISubprogram *Subprogram = D.Kernel->getSubprogram()) {
      Header.file = Strings.offset(Subprogram->getFilename());
      Header.directory = Strings.offset(Subprogram->getDirectory());
      Header.line = Subprogram->getLine();
    }
    Header.modes = D.Modes;
    Header.flags = D.Flags;
    if (O.countsInSharedMemory() ? !O.AtomicUpdates : O.Level >= GMPROF_LEVEL_SA_NA)
      Header.flags |= GMPROF_KERNEL_PLAIN_UPDATES;
    Header.sharedLevel = O.Level;
    Header.counterBits = O.CounterBits;
    Header.threshold = O.Threshold;
    Header.globalLevel = O.Level;
    Header.globalCounterBits = O.GlobalCounterBits;
    Header.globalThreshold = O.GlobalThreshold;
    Header.skipReason = Strings.offset(D.SkipReason);
    Header.sharedReason = Strings.offset(D.SharedReason);
    Header.unit = D.Unit;
  }

  void describeSite(const Site &S) {
    const gmprof_u32 Variable = indexOf(S.Variable);
    if (S.Shared.Rule == GMPROF_RULE_STATIC)
      Statics.push_back({Variable, static_cast<gmprof_u32>(Sites.size()), S.Static->Offset, S.Bytes,
                         S.Static->Count});
    if (!S.Form.empty())
      Forms.push_back({static_cast<gmprof_u32>(Sites.size()), Variable, addWords(S.Form),
                       static_cast<gmprof_u32>(S.Form.size())});
    Sites.push_back({Variable, Strings.offset(S.Source.File), S.Source.Line, S.Source.Column,
                     Strings.offset(S.Source.Function), static_cast<gmprof_u32>(S.Kind),
                     static_cast<gmprof_u32>(S.Space), S.Bytes,
                     static_cast<gmprof_u32>(S.Shared.Rule), Strings.offset(S.Shared.Reason),
                     static_cast<gmprof_u32>(S.Global.Rule), Strings.offset(S.Global.Reason),
                     describeInlined(S.Source), S.FunctionSite.value_or(GMPROF_NONE), S.Reduction,
                     0});
  }

  /// Returns the call by which the location's function was inlined. Equal ones in equal ones are
  /// there once.
  gmprof_u32 describeInlined(const SourceLocation &Of) {
    gmprof_u32 At = GMPROF_NONE;
    for (const SourceCall &C : reverse(Of.InlinedAt)) {
      const std::array<gmprof_u32, 5> Fields = {Strings.offset(C.Function), Strings.offset(C.File),
                                                C.Line, C.Column, At};
      const auto [Known, New] = InlineAt.try_emplace(Fields, Inlines.size());
      if (New)
        Inlines.push_back({Fields[0], Fields[1], Fields[2], Fields[3], Fields[4], 0});
      At = Known->second;
    }
    return At;
  }

  /// Returns where they begin. Equal forms, as the profiles have them of one access, are there
  /// once.
  gmprof_u32 addWords(const std::vector<int64_t> &Words) {
    const auto [Known, New] = WordsAt.try_emplace(Words, FormWords.size());
    if (New)
      append_range(FormWords, Words);
    return Known->second;
  }

  static gmprof_u32 indexOf(int Variable) {
    return Variable < 0 ? GMPROF_NONE : static_cast<gmprof_u32>(Variable);
  }

  void describeTouch(const TouchSite &T) {
    Touches.push_back({indexOf(T.Variable), T.Kinds, static_cast<gmprof_u32>(T.Rule), T.Flag,
                       addWords(T.Form), static_cast<gmprof_u32>(T.Form.size())});
  }

  void describeHeat(const HeatFormSite &F) {
    HeatForms.push_back({F.Site, indexOf(F.Variable), addWords(F.Form),
                         static_cast<gmprof_u32>(F.Form.size()), F.Loops,
                         static_cast<gmprof_u32>(F.Offset), F.Bytes, F.PieceBytes});
  }

  void describeMove(const MoveSite &M) {
    Moves.push_back({static_cast<gmprof_u32>(M.Kind), indexOf(M.Shared), indexOf(M.Global), M.Bytes,
                     Strings.offset(M.Source.File), M.Source.Line, M.Source.Column,
                     Strings.offset(M.Source.Function), describeInlined(M.Source), 0});
  }

  /// All parts begin at multiples of 8, the strings apart, which come last.
  void layOut() {
    static_assert(sizeof(GmprofKernelDesc) % 8 == 0 && sizeof(GmprofVariableDesc) % 8 == 0 &&
                  sizeof(GmprofSiteDesc) % 8 == 0 && sizeof(GmprofStaticDesc) % 8 == 0 &&
                  sizeof(GmprofFormDesc) % 8 == 0 && sizeof(GmprofMoveDesc) % 8 == 0 &&
                  sizeof(GmprofTouchDesc) % 8 == 0 && sizeof(GmprofHeatFormDesc) % 8 == 0 &&
                  sizeof(GmprofInlineDesc) % 8 == 0);
    Ranges.assign(D.RangeVariables.begin(), D.RangeVariables.end());
    if (Ranges.size() % 2 != 0)
      Ranges.push_back(GMPROF_NONE);
    uint32_t Offset = sizeof(Header);
    auto Place = [&](auto &Elements, uint32_t &At, uint32_t &Count) {
      At = Offset;
      Count = Elements.size();
      Offset += Elements.size() * sizeof(Elements[0]);
    };
    Place(Variables, Header.varsOffset, Header.varCount);
    Place(Sites, Header.sitesOffset, Header.siteCount);
    Place(Statics, Header.staticsOffset, Header.staticCount);
    Place(Forms, Header.formsOffset, Header.formCount);
    Place(FormWords, Header.formWordsOffset, Header.formWordCount);
    Place(Moves, Header.movesOffset, Header.moveCount);
    Place(Ranges, Header.rangesOffset, Header.rangeCount);
    Header.rangeCount = D.RangeVariables.size();
    Place(Touches, Header.touchesOffset, Header.touchCount);
    Place(HeatForms, Header.heatFormsOffset, Header.heatFormCount);
    Place(Inlines, Header.inlinesOffset, Header.inlineCount);
    Place(Callees, Header.calleesOffset, Header.calleeCount);
    Place(Strings.bytes(), Header.stringsOffset, Header.stringsBytes);
    Header.bytes = Offset;
  }
};

} // namespace

GlobalVariable *gmprof::emitDescriptor(const KernelDescription &Description, const Options &O) {
  Constant *Value = DescriptorBuilder(Description, O).build();
  auto &M = *const_cast<Module *>(Description.Kernel->getParent());
  const StringRef Prefix =
      isKernel(*Description.Kernel) ? GMPROF_KERNEL_DESC_PREFIX : GMPROF_FUNCTION_DESC_PREFIX;
  auto *Global =
      new GlobalVariable(M, Value->getType(), /*isConstant=*/true, GlobalValue::WeakAnyLinkage,
                         Value, Prefix + Description.Kernel->getName(), nullptr,
                         GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
  Global->setAlignment(Align(8));
  appendToCompilerUsed(M, {Global});
  return Global;
}
