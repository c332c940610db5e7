//===- DescriptorWriter.cpp - Lays out a descriptor -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/DescriptorWriter.h"

#include "pass/core/CloneBuilder.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

using namespace llvm;
using namespace gmprof;

GMPROF_DEFINE_CONSTANT(GmprofKernelDesc, GMPROF_KERNEL_DESC_FIELDS)
GMPROF_DEFINE_CONSTANT(GmprofVariableDesc, GMPROF_VARIABLE_DESC_FIELDS)
GMPROF_DEFINE_CONSTANT(GmprofSiteDesc, GMPROF_SITE_DESC_FIELDS)
GMPROF_DEFINE_CONSTANT(GmprofFormDesc, GMPROF_FORM_DESC_FIELDS)
GMPROF_DEFINE_CONSTANT(GmprofInlineDesc, GMPROF_INLINE_DESC_FIELDS)
GMPROF_DEFINE_CONSTANT(GmprofInstructionDesc, GMPROF_INSTRUCTION_DESC_FIELDS)

uint32_t StringTable::offset(StringRef S) {
  if (S.empty())
    return 0;
  auto [Place, New] = Offsets.insert({S, static_cast<uint32_t>(Bytes.size())});
  if (New) {
    Bytes.append(S.begin(), S.end());
    Bytes.push_back('\0');
  }
  return Place->second;
}

gmprof_u32 DescriptorWriter::inlinedAt(const SourceLocation &Of) {
  gmprof_u32 At = GMPROF_NONE;
  for (const SourceCall &C : reverse(Of.InlinedAt)) {
    const std::array<gmprof_u32, 5> Fields = {string(C.Function), string(C.File), C.Line, C.Column,
                                              At};
    const auto [Known, New] = InlineAt.try_emplace(Fields, Inlined.size());
    if (New)
      Inlined.push_back({Fields[0], Fields[1], Fields[2], Fields[3], Fields[4], 0});
    At = Known->second;
  }
  return At;
}

gmprof_u32 DescriptorWriter::words(const std::vector<int64_t> &Form) {
  const auto [Known, New] = WordsAt.try_emplace(Form, FormWords.size());
  if (New)
    append_range(FormWords, Form);
  return Known->second;
}

void DescriptorWriter::addForm(gmprof_u32 Site, gmprof_u32 Variable,
                               const std::vector<int64_t> &Form) {
  Forms.push_back({Site, Variable, words(Form), static_cast<gmprof_u32>(Form.size())});
}

void DescriptorWriter::addPart(uint32_t &Offset, Constant *Value, uint64_t Bytes) {
  Parts.push_back({&Offset, Value, Bytes});
}

void DescriptorWriter::addPart(uint32_t &Offset, uint32_t &Count, std::vector<uint32_t> Numbers) {
  Count = Numbers.size();
  if (Numbers.size() % 2 != 0)
    Numbers.push_back(GMPROF_NONE);
  addPart(Offset, ConstantDataArray::get(Context, ArrayRef<uint32_t>(Numbers)),
          Numbers.size() * sizeof(uint32_t));
}

void DescriptorWriter::writeHeader(const KernelDescription &D) {
  Header.magic = GMPROF_DESC_MAGIC;
  Header.abiVersion = GMPROF_ABI_VERSION;
  Header.paramCount = D.Kernel->arg_size();
  Header.name = string(D.Kernel->getName());
  if (const DISubprogram *Subprogram = D.Kernel->getSubprogram()) {
    Header.file = string(Subprogram->getFilename());
    Header.directory = string(Subprogram->getDirectory());
    Header.line = Subprogram->getLine();
  }
  Header.modes = D.Modes;
  Header.flags |= D.Flags;
  Header.skipReason = string(D.SkipReason);
  Header.unit = D.Unit;
}

void DescriptorWriter::writeVariables(const KernelDescription &D) {
  for (const Variable &V : D.Variables)
    Variables.push_back({string(V.Name), string(V.Type), string(V.File), V.Line,
                         static_cast<gmprof_u32>(V.Kind), V.ElementBytes, V.Bytes, string(V.Symbol),
                         static_cast<gmprof_u32>(V.Parameter),
                         static_cast<gmprof_u32>(V.ParameterOffset), GMPROF_NONE});
}

void DescriptorWriter::writeSites(const KernelDescription &D,
                                  ArrayRef<std::unique_ptr<CloneBuilder>> Builders) {
  for (const DescribedFunction &F : D.Functions)
    for (auto [Number, S] : enumerate(F.Sites->Sites)) {
      GmprofSiteDesc To = {};
      To.variable = numberOf(F.variable(S.Variable));
      To.file = string(S.Source.File);
      To.line = S.Source.Line;
      To.column = S.Source.Column;
      To.function = string(S.Source.Function);
      To.kind = static_cast<gmprof_u32>(S.Kind);
      To.space = static_cast<gmprof_u32>(S.Space);
      To.bytes = S.Bytes;
      for (const auto &B : Builders)
        B->describeSite(F, Number, To, *this);
      To.inlinedAt = inlinedAt(S.Source);
      To.functionSite = S.FunctionSite.value_or(GMPROF_NONE);
      To.reduction = S.Reduction;
      To.machineWidth = S.HasMachineWidth;
      Sites.push_back(To);
    }
}

void DescriptorWriter::addInstructions(const KernelDescription &D) {
  Header.machineCode = D.MachineCode;
  Header.frameBytes = D.FrameBytes;
  std::vector<GmprofInstructionDesc> Instructions;
  for (const CodeInstruction &I : D.Instructions) {
    GmprofInstructionDesc &To = Instructions.emplace_back();
    To.kind = static_cast<gmprof_u32>(I.Kind);
    To.variable = numberOf(I.Variable);
    To.file = string(I.Source.File);
    To.line = I.Source.Line;
    To.function = string(I.Source.Function);
    To.inlinedAt = inlinedAt(I.Source);
    To.bytes = I.Bytes;
    To.count = I.Count;
    To.index = static_cast<gmprof_u32>(I.Index);
    To.laneStride = static_cast<gmprof_u32>(I.LaneStride);
  }
  addPart(Header.instructionsOffset, Header.instructionCount, Instructions);
}

Constant *DescriptorWriter::layOut() {
  sort(Parts, [](const Part &A, const Part &B) { return A.Offset < B.Offset; });
  uint32_t Offset = sizeof(Header);
  for (const Part &P : Parts) {
    *P.Offset = Offset;
    Offset += P.Bytes;
  }
  Header.stringsOffset = Offset;
  Header.stringsBytes = Strings.bytes().size();
  Header.bytes = Offset + Header.stringsBytes;
  SmallVector<Constant *, 16> Values = {toConstant(Context, Header)};
  for (const Part &P : Parts)
    Values.push_back(P.Value);
  Values.push_back(ConstantDataArray::getString(Context, Strings.bytes(), /*AddNull=*/false));
  return ConstantStruct::getAnon(Context, Values);
}

Constant *DescriptorWriter::write(const KernelDescription &D,
                                  ArrayRef<std::unique_ptr<CloneBuilder>> Builders) {
  static_assert(sizeof(GmprofKernelDesc) % 8 == 0, "parts begin at multiples of 8");
  writeHeader(D);
  for (const auto &B : Builders)
    B->describeHeader(D, *this);
  writeVariables(D);
  writeSites(D, Builders);
  for (const auto &B : Builders)
    B->addParts(D, *this);
  addInstructions(D);
  std::vector<uint32_t> Callees;
  for (const Function *F : D.Callees)
    Callees.push_back(string(F->getName()));
  addPart(Header.varsOffset, Header.varCount, Variables);
  addPart(Header.sitesOffset, Header.siteCount, Sites);
  addPart(Header.formsOffset, Header.formCount, Forms);
  Header.formWordCount = FormWords.size();
  addPart(Header.formWordsOffset, ConstantDataArray::get(Context, ArrayRef(FormWords)),
          FormWords.size() * sizeof(gmprof_i64));
  addPart(Header.inlinesOffset, Header.inlineCount, Inlined);
  Header.calleeCount = Callees.size();
  addPart(Header.calleesOffset, ConstantDataArray::get(Context, ArrayRef<uint32_t>(Callees)),
          Callees.size() * sizeof(uint32_t));
  return layOut();
}
