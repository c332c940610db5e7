//===- ObjectLabels.cpp - Names that tell objects apart -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/ObjectLabels.h"
#include "report/model/CallPaths.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

namespace gmprof {

using summary::Object;
using summary::Source;
using summary::Summary;

using Labels = std::vector<std::string>;

static std::string ownName(const Object &O, const std::map<uint32_t, std::string> &InKernels) {
  if (!O.name.empty())
    return O.name;
  if (const auto Known = InKernels.find(O.id); Known != InKernels.end())
    return Known->second;
  return O.source ? text::shortPosition(O.source) : fmt::format("allocation {}", O.id);
}

/// Returns the first name that a kernel has for each object.
static std::map<uint32_t, std::string> namesInKernels(const Summary &S) {
  std::map<uint32_t, std::string> Names;
  const auto Add = [&](uint32_t Id, const std::string &Name) {
    if (!Name.empty())
      Names.try_emplace(Id, Name);
  };
  for (const summary::Kernel &K : S.kernels) {
    if (K.heat)
      for (const summary::HeatObject &O : K.heat->objects)
        Add(O.object, O.name);
    if (K.global_memory)
      for (const summary::GlobalObjectUse &O : K.global_memory->objects)
        Add(O.object, fmt::format("{}", fmt::join(O.names, ", ")));
  }
  return Names;
}

/// Returns the first caller outside of the file that allocates: where a wrapper is used.
static std::optional<Source> callerOf(const Object &O, const Summary &S) {
  if (!O.alloc || !O.alloc->source)
    return {};
  const Source &Line = *O.alloc->source;
  bool Reached = false;
  for (const summary::Frame &F : summary::callPath(S, O.alloc->call_path)) {
    if (!F.source)
      continue;
    Reached |= F.source->file == Line.file && F.source->line == Line.line;
    if (Reached && F.source->line != 0 && F.source->file != Line.file)
      return F.source;
  }
  return {};
}

namespace {

/// A label with the device, which tables show beside it.
using Key = std::pair<std::string, std::optional<uint32_t>>;

} // namespace

/// Calls the function with the index of each object of global memory whose label others of its
/// device have, too.
template <typename Function>
static void eachOfSeveral(const Summary &S, const Labels &Of, Function Do) {
  std::map<Key, size_t> Counts;
  for (size_t I = 0; I < Of.size(); ++I)
    Counts[{Of[I], S.objects[I].device}] += !S.objects[I].kernel;
  for (size_t I = 0; I < Of.size(); ++I)
    if (!S.objects[I].kernel && Counts[{Of[I], S.objects[I].device}] > 1)
      Do(I);
}

std::string labelInKernel(const std::string &Kernel, const std::string &Own) {
  if (Kernel.empty() || Own.empty() || Kernel == Own)
    return Kernel.empty() ? Own : Kernel;
  return fmt::format("{} ({})", Kernel, Own);
}

Labels objectLabels(const Summary &S) {
  const std::map<uint32_t, std::string> InKernels = namesInKernels(S);
  Labels Own;
  for (const Object &O : S.objects)
    Own.push_back(ownName(O, InKernels));
  Labels Distinct = Own;
  eachOfSeveral(S, Own, [&](size_t I) {
    const Object &O = S.objects[I];
    const auto Known = InKernels.find(O.id);
    if (Known != InKernels.end() && Known->second != Own[I])
      Distinct[I] = labelInKernel(Known->second, Own[I]);
    else if (const auto Caller = callerOf(O, S))
      Distinct[I] = fmt::format("{} ({})", Own[I], text::shortPosition(Caller));
  });
  Labels Numbered = Distinct;
  std::map<Key, size_t> Last;
  eachOfSeveral(S, Distinct, [&](size_t I) {
    Numbered[I] = fmt::format("{} #{}", Distinct[I], ++Last[{Distinct[I], S.objects[I].device}]);
  });
  return Numbered;
}

} // namespace gmprof
