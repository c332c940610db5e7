//===- TestDescriptor.h - Hand-written kernel descriptors -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_PROFILE_TESTDESCRIPTOR_H
#define GMPROF_TEST_UNIT_PROFILE_TESTDESCRIPTOR_H

#include "gmprof/abi.h"
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace gmprof::test {

/// Builds a kernel descriptor as the pass does.
class DescriptorWriter {
public:
  GmprofKernelDesc Header = {};

  explicit DescriptorWriter(const std::string &Kernel, const std::string &File = "/src/app.cu",
                            unsigned Line = 10) {
    Header.magic = GMPROF_DESC_MAGIC;
    Header.abiVersion = GMPROF_ABI_VERSION;
    Header.name = string(Kernel);
    Header.file = string(File);
    Header.line = Line;
    Header.modes = GMPROF_MODE_SHARED;
    Header.sharedLevel = GMPROF_LEVEL_BASIC;
    Header.counterBits = 32;
  }

  gmprof_u32 string(const std::string &Text) {
    if (Text.empty())
      return 0;
    auto Offset = static_cast<gmprof_u32>(Strings.size());
    Strings.append(Text.c_str(), Text.size() + 1);
    return Offset;
  }

  gmprof_u32 variable(const std::string &Name, const std::string &Type, unsigned ElementBytes,
                      gmprof_u64 Bytes, unsigned Line = 12,
                      GmprofVariableKind Kind = GMPROF_VARIABLE_SHARED) {
    Variables.push_back({string(Name), string(Type), Header.file, Line, gmprof_u32(Kind),
                         ElementBytes, Bytes, 0, GMPROF_NONE, 0, GMPROF_NONE});
    return static_cast<gmprof_u32>(Variables.size() - 1);
  }

  gmprof_u32 site(gmprof_u32 Variable, gmprof_u32 Kind, unsigned Line,
                  GmprofRule Rule = GMPROF_RULE_COUNTED, const std::string &Reason = "",
                  GmprofSpace Space = GMPROF_SPACE_SHARED) {
    Sites.push_back({Variable, Header.file, Line, 5, Header.name, Kind, gmprof_u32(Space), 4,
                     gmprof_u32(Rule), string(Reason), GMPROF_RULE_NOT_COUNTED, 0, GMPROF_NONE,
                     GMPROF_NONE, 0, 0});
    return static_cast<gmprof_u32>(Sites.size() - 1);
  }

  /// Adds the global profile.
  void global(GmprofLevel Level, unsigned CounterBits, unsigned Threshold,
              unsigned Modes = GMPROF_MODE_GLOBAL | GMPROF_MODE_GLOBAL_CLONE) {
    Header.modes |= Modes;
    Header.globalLevel = Level;
    Header.globalCounterBits = CounterBits;
    Header.globalThreshold = Threshold;
  }

  /// Adds the memory that a kernel parameter points to.
  gmprof_u32 pointer(const std::string &Name, unsigned ElementBytes, unsigned Parameter,
                     unsigned Root, unsigned Offset = 0) {
    Variables.push_back({string(Name), 0, Header.file, 0, GMPROF_VARIABLE_PARAMETER, ElementBytes,
                         0, 0, Parameter, Offset, Root});
    return static_cast<gmprof_u32>(Variables.size() - 1);
  }

  /// Adds a module variable.
  gmprof_u32 symbol(const std::string &Name, unsigned ElementBytes, gmprof_u64 Bytes,
                    unsigned Root) {
    Variables.push_back({string(Name), 0, Header.file, 0, GMPROF_VARIABLE_GLOBAL, ElementBytes,
                         Bytes, string(Name), GMPROF_NONE, 0, Root});
    return static_cast<gmprof_u32>(Variables.size() - 1);
  }

  /// Adds a site that accesses one element.
  gmprof_u32 globalSite(gmprof_u32 Variable, gmprof_u32 Kind, GmprofRule Rule,
                        const std::string &Reason = "", unsigned Line = 20) {
    gmprof_u32 Bytes = Variable < Variables.size() ? Variables[Variable].elementBytes : 4;
    Sites.push_back({Variable, Header.file, Line, 5, Header.name, Kind, GMPROF_SPACE_GLOBAL, Bytes,
                     GMPROF_RULE_NOT_COUNTED, 0, gmprof_u32(Rule), string(Reason), GMPROF_NONE,
                     GMPROF_NONE, 0, 0});
    return static_cast<gmprof_u32>(Sites.size() - 1);
  }

  /// Adds an inlined call.
  gmprof_u32 inlined(const std::string &Function, unsigned Line, gmprof_u32 Parent = GMPROF_NONE) {
    Inlines.push_back({string(Function), Header.file, Line, 3, Parent, 0});
    return static_cast<gmprof_u32>(Inlines.size() - 1);
  }

  /// Adds instructions of machine code, and returns them.
  GmprofInstructionDesc &instructions(GmprofInstructionKind Kind, gmprof_u32 Variable,
                                      unsigned Line, unsigned Bytes, unsigned Count,
                                      GmprofIndex Index) {
    Header.machineCode = 90;
    return Instructions.emplace_back(GmprofInstructionDesc{gmprof_u32(Kind), Variable, Header.file,
                                                           Line, Header.name, GMPROF_NONE, Bytes,
                                                           Count, gmprof_u32(Index), 0});
  }

  /// Adds a callee that has its own descriptor.
  void callee(const std::string &Name) { Callees.push_back(string(Name)); }

  void form(gmprof_u32 Site, const std::vector<gmprof_i64> &Words) {
    Forms.push_back({Site, Sites[Site].variable, static_cast<gmprof_u32>(FormWords.size()),
                     static_cast<gmprof_u32>(Words.size())});
    FormWords.insert(FormWords.end(), Words.begin(), Words.end());
  }

  void touch(gmprof_u32 Variable, unsigned Kinds, GmprofTouchRule Rule, unsigned Flag = 0,
             const std::vector<gmprof_i64> &Words = {}) {
    Header.modes |= GMPROF_MODE_OBJECTS;
    Touches.push_back({Variable, Kinds, gmprof_u32(Rule), Flag,
                       static_cast<gmprof_u32>(FormWords.size()),
                       static_cast<gmprof_u32>(Words.size())});
    FormWords.insert(FormWords.end(), Words.begin(), Words.end());
  }

  /// Adds a closed form of the heat profile.
  void heatForm(gmprof_u32 Site, const std::vector<int64_t> &Words, unsigned Bytes = 4,
                unsigned PieceBytes = 4) {
    HeatForms.push_back({Site, Sites[Site].variable, static_cast<gmprof_u32>(FormWords.size()),
                         static_cast<gmprof_u32>(Words.size()), 0, 0, Bytes, PieceBytes});
    FormWords.insert(FormWords.end(), Words.begin(), Words.end());
  }

  void count(gmprof_u32 Variable, gmprof_u32 Site, gmprof_u64 Offset, unsigned Bytes,
             unsigned Count) {
    Statics.push_back({Variable, Site, Offset, Bytes, Count});
  }

  std::vector<std::byte> bytes() const {
    GmprofKernelDesc H = Header;
    std::vector<std::byte> Out(sizeof(H));
    H.varsOffset = add(Out, Variables);
    H.varCount = static_cast<gmprof_u32>(Variables.size());
    H.sitesOffset = add(Out, Sites);
    H.siteCount = static_cast<gmprof_u32>(Sites.size());
    H.staticsOffset = add(Out, Statics);
    H.staticCount = static_cast<gmprof_u32>(Statics.size());
    H.formsOffset = add(Out, Forms);
    H.formCount = static_cast<gmprof_u32>(Forms.size());
    H.formWordsOffset = add(Out, FormWords);
    H.formWordCount = static_cast<gmprof_u32>(FormWords.size());
    H.touchesOffset = add(Out, Touches);
    H.touchCount = static_cast<gmprof_u32>(Touches.size());
    H.heatFormsOffset = add(Out, HeatForms);
    H.heatFormCount = static_cast<gmprof_u32>(HeatForms.size());
    H.inlinesOffset = add(Out, Inlines);
    H.inlineCount = static_cast<gmprof_u32>(Inlines.size());
    H.instructionsOffset = add(Out, Instructions);
    H.instructionCount = static_cast<gmprof_u32>(Instructions.size());
    H.calleesOffset = add(Out, Callees);
    H.calleeCount = static_cast<gmprof_u32>(Callees.size());
    H.stringsOffset = add(Out, std::vector<char>(Strings.begin(), Strings.end()));
    H.stringsBytes = static_cast<gmprof_u32>(Strings.size());
    H.bytes = static_cast<gmprof_u32>(Out.size());
    std::memcpy(Out.data(), &H, sizeof(H));
    return Out;
  }

  size_t variableCount() const { return Variables.size(); }

  std::vector<GmprofSiteDesc> Sites;

private:
  template <typename T>
  static gmprof_u32 add(std::vector<std::byte> &Out, const std::vector<T> &Array) {
    size_t Offset = Out.size();
    Out.resize(Offset + Array.size() * sizeof(T));
    if (!Array.empty())
      std::memcpy(&Out[Offset], Array.data(), Array.size() * sizeof(T));
    return static_cast<gmprof_u32>(Offset);
  }

  std::string Strings = std::string(1, '\0');
  std::vector<GmprofVariableDesc> Variables;
  std::vector<GmprofStaticDesc> Statics;
  std::vector<GmprofFormDesc> Forms;
  std::vector<gmprof_i64> FormWords;
  std::vector<GmprofTouchDesc> Touches;
  std::vector<GmprofHeatFormDesc> HeatForms;
  std::vector<GmprofInlineDesc> Inlines;
  std::vector<GmprofInstructionDesc> Instructions;
  std::vector<gmprof_u32> Callees;
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_PROFILE_TESTDESCRIPTOR_H
