//===- SummaryFilter.cpp - Filters kernels and findings -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryFilter.h"
#include "analysis/Wording.h"
#include "report/text/TextReport.h"
#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace gmprof {

/// Limits the length of names to match: std::regex recurses on them.
static constexpr size_t MaxName = 4096;

static Result<std::regex> regexOf(const std::string &Pattern) {
  try {
    return std::regex(Pattern);
  } catch (const std::regex_error &E) {
    return Error{"'" + Pattern + "' is not a regular expression: " + E.what()};
  }
}

static bool matches(const std::string &Name, const std::regex &Regex) {
  return std::regex_search(Name.size() > MaxName ? Name.substr(0, MaxName) : Name, Regex);
}

Result<std::function<bool(const std::string &)>> matcherOf(const std::string &Pattern) {
  Result<std::regex> Regex = regexOf(Pattern);
  if (!Regex)
    return Error{Regex.error()};
  return std::function<bool(const std::string &)>(
      [R = std::move(*Regex)](const std::string &Name) { return matches(Name, R); });
}

Result<summary::Summary> keepKernels(summary::Summary S, const std::string &Pattern) {
  Result<std::regex> Regex = regexOf(Pattern);
  if (!Regex)
    return Error{Regex.error()};
  constexpr size_t MostNames = 20;
  std::set<uint32_t> Kept;
  std::string Names;
  size_t Count = 0;
  for (const summary::Kernel &K : S.kernels) {
    if (matches(K.demangled, *Regex) || matches(K.name, *Regex))
      Kept.insert(K.id);
    if (++Count <= MostNames)
      Names += (Names.empty() ? "" : ", ") + shortName(K.demangled);
  }
  if (Count > MostNames)
    Names += " and " + std::to_string(Count - MostNames) + " more";
  if (Kept.empty())
    return Error{"no kernel matches '" + Pattern + "'; there " +
                 (Names.empty() ? "are none" : "are: " + Names)};

  // A finding of several instances of a template names one of them: it is kept for each.
  std::map<std::string, summary::KernelRef> KeptTemplates;
  std::map<uint32_t, std::string> Templates;
  for (const summary::Kernel &K : S.kernels) {
    Templates[K.id] = templateName(K.demangled);
    if (Kept.count(K.id))
      KeptTemplates.try_emplace(Templates[K.id], summary::KernelRef{K.id, K.demangled, K.source});
  }
  std::erase_if(S.findings, [&](summary::Finding &F) {
    if (!F.kernel || Kept.count(F.kernel->id))
      return !F.kernel;
    const bool IsJoined = std::any_of(F.evidence.begin(), F.evidence.end(),
                                      [](const auto &E) { return E.first == "instances"; });
    const auto Instance = KeptTemplates.find(Templates[F.kernel->id]);
    if (!IsJoined || Instance == KeptTemplates.end())
      return true;
    F.kernel = Instance->second;
    return false;
  });
  std::set<uint64_t> Named;
  for (const summary::Finding &F : S.findings)
    if (F.object)
      Named.insert(F.object->id);
  std::erase_if(S.kernels, [&](const auto &K) { return !Kept.count(K.id); });
  std::erase_if(S.objects, [&](const auto &O) {
    return O.kernel && !Kept.count(*O.kernel) && !Named.count(O.id);
  });
  return S;
}

static bool saves(const summary::Finding &F, const Quantity &Least) {
  return Least.Of == Quantity::Unit::Seconds ? F.seconds_saved.value_or(0) >= Least.Value
                                             : static_cast<double>(F.bytes_saved) >= Least.Value;
}

Result<summary::Summary> keepFindings(summary::Summary S, const FindingFilter &Filter) {
  Result<std::regex> Pattern = regexOf(Filter.Pattern), Object = regexOf(Filter.Object);
  if (!Pattern || !Object)
    return Error{!Pattern ? Pattern.error() : Object.error()};
  if (Filter.MinSaving && Filter.MinSaving->Of == Quantity::Unit::Number)
    return Error{"the least saving is an amount of bytes or of time: write it as 64KiB or 1ms"};
  std::erase_if(S.findings, [&](const summary::Finding &F) {
    const bool HasPattern =
        matches(F.kind.empty() ? F.pattern : F.pattern + "/" + F.kind, *Pattern) ||
        std::ranges::any_of(F.also,
                            [&](const std::string &Also) { return matches(Also, *Pattern); });
    return !HasPattern ||
           (!Filter.Object.empty() && !(F.object && matches(F.object->name, *Object))) ||
           (Filter.MinSaving && !saves(F, *Filter.MinSaving));
  });
  return S;
}

} // namespace gmprof
