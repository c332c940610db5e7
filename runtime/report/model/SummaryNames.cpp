//===- SummaryNames.cpp - Names and values in summary.json ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryNames.h"
#include "profile/KernelDescriptor.h"
#include "profile/LaunchModes.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace gmprof {

const char *levelName(GmprofLevel L) {
  switch (L) {
  case GMPROF_LEVEL_BASIC:
    return "basic";
  case GMPROF_LEVEL_SA:
    return "sa";
  case GMPROF_LEVEL_SA_NA:
    return "sa-na";
  case GMPROF_LEVEL_SA_NA_SM:
    return "sa-na-sm";
  case GMPROF_LEVEL_SA_NA_SM_TH:
    return "sa-na-sm-th";
  }
  return "";
}

const char *accessName(GmprofAccessKind K) {
  switch (K) {
  case GMPROF_ACCESS_LOAD:
    return "load";
  case GMPROF_ACCESS_STORE:
    return "store";
  case GMPROF_ACCESS_ATOMIC:
    return "atomic";
  case GMPROF_ACCESS_COPY_FROM:
    return "copy_from";
  case GMPROF_ACCESS_COPY_TO:
    return "copy_to";
  case GMPROF_ACCESS_ASYNC_FROM:
    return "async_from";
  case GMPROF_ACCESS_ASYNC_TO:
    return "async_to";
  case GMPROF_ACCESS_MATRIX:
    return "matrix";
  case GMPROF_ACCESS_BARRIER:
    return "barrier";
  }
  return "";
}

const char *spaceName(GmprofSpace S) {
  switch (S) {
  case GMPROF_SPACE_GENERIC:
    return "generic";
  case GMPROF_SPACE_GLOBAL:
    return "global";
  case GMPROF_SPACE_SHARED:
    return "shared";
  case GMPROF_SPACE_CONSTANT:
    return "constant";
  case GMPROF_SPACE_LOCAL:
    return "local";
  case GMPROF_SPACE_PARAM:
    return "param";
  case GMPROF_SPACE_SHARED_CLUSTER:
    return "shared_cluster";
  }
  return "";
}

const char *instructionName(GmprofInstructionKind K) {
  switch (K) {
  case GMPROF_INSTRUCTION_LOCAL_LOAD:
    return "local_load";
  case GMPROF_INSTRUCTION_LOCAL_STORE:
    return "local_store";
  case GMPROF_INSTRUCTION_CONSTANT_LOAD:
    return "constant_load";
  case GMPROF_INSTRUCTION_TEXTURE_FETCH:
    return "texture_fetch";
  }
  return "";
}

const char *indexName(GmprofIndex I) {
  switch (I) {
  case GMPROF_INDEX_UNKNOWN:
    return "unknown";
  case GMPROF_INDEX_CONSTANT:
    return "constant";
  case GMPROF_INDEX_LOOP:
    return "loop";
  case GMPROF_INDEX_RUN_TIME:
    return "run_time";
  case GMPROF_INDEX_SPILL:
    return "spill";
  }
  return "";
}

const char *ruleName(GmprofRule R) {
  switch (R) {
  case GMPROF_RULE_NOT_COUNTED:
    return "not_counted";
  case GMPROF_RULE_SKIPPED:
    return "skipped";
  case GMPROF_RULE_STATIC:
    return "static";
  case GMPROF_RULE_LOOP_INVARIANT:
    return "loop_invariant";
  case GMPROF_RULE_LOOP_AND_THREAD:
    return "loop_and_thread_invariant";
  case GMPROF_RULE_THREAD_INVARIANT:
    return "thread_invariant";
  case GMPROF_RULE_COUNTED:
    return "counted";
  case GMPROF_RULE_CLOSED_FORM:
    return "closed_form";
  case GMPROF_RULE_SWEEP:
    return "sweep";
  }
  return "";
}

const char *severityName(analysis::Severity S) {
  switch (S) {
  case analysis::Severity::Info:
    return "info";
  case analysis::Severity::Low:
    return "low";
  case analysis::Severity::Medium:
    return "medium";
  case analysis::Severity::High:
    return "high";
  }
  return "";
}

const char *modeName(log::LaunchMode M) {
  const auto *Row =
      std::ranges::find(profile::LaunchModes, M, [](const auto &R) { return R.Mode; });
  return Row == std::end(profile::LaunchModes) ? "" : Row->Name;
}

const char *objectKindName(log::ObjectKind K) {
  switch (K) {
  case log::ObjectKind::Device:
    return "device";
  case log::ObjectKind::Managed:
    return "managed";
  case log::ObjectKind::Pinned:
    return "pinned";
  case log::ObjectKind::AsyncPool:
    return "async-pool";
  case log::ObjectKind::Graph:
    return "graph";
  case log::ObjectKind::GlobalVariable:
    return "global-variable";
  case log::ObjectKind::Constant:
    return "constant";
  case log::ObjectKind::Pool:
    return "pool";
  case log::ObjectKind::Array:
    return "array";
  }
  return "";
}

const char *apiKindName(profile::ApiKind Kind) {
  switch (Kind) {
  case profile::ApiKind::Allocation:
    return "allocation";
  case profile::ApiKind::Release:
    return "release";
  case profile::ApiKind::Copy:
    return "copy";
  case profile::ApiKind::Set:
    return "set";
  case profile::ApiKind::Launch:
    return "launch";
  }
  return "";
}

std::optional<summary::Source> source(const profile::SourcePosition &S) {
  if (S.File.empty())
    return std::nullopt;
  return summary::Source{S.File, S.Line};
}

summary::InlineChain inlinedAt(const profile::Descriptor &Desc, uint32_t InlinedAt) {
  summary::InlineChain Chain;
  for (const profile::InlinedCall *C : inlineChain(Desc, InlinedAt))
    Chain.push_back({C->Function, source(C->Source), C->Source.Column});
  return Chain;
}

std::vector<summary::InlineChain> inlinedAt(const profile::Descriptor &Desc,
                                            const profile::SourcePosition &Line) {
  std::vector<uint32_t> Paths;
  const auto Add = [&](const auto &Each) {
    if (Each.InlinedAt != profile::None && Each.Source.File == Line.File &&
        Each.Source.Line == Line.Line && std::ranges::find(Paths, Each.InlinedAt) == Paths.end())
      Paths.push_back(Each.InlinedAt);
  };
  std::ranges::for_each(Desc.Sites, Add);
  std::ranges::for_each(Desc.Moves, Add);
  std::vector<summary::InlineChain> Chains;
  for (const uint32_t Path : Paths)
    Chains.push_back(inlinedAt(Desc, Path));
  return Chains;
}

summary::Site site(const profile::Descriptor &Desc, const profile::Site &S) {
  return {accessName(S.Kind),
          source(S.Source),
          S.Source.Column,
          S.Function,
          inlinedAt(Desc, S.InlinedAt),
          spaceName(S.Space),
          S.Bytes,
          ruleName(S.Rule),
          S.Reason};
}

summary::Site globalSite(const profile::Descriptor &Desc, const profile::Site &S) {
  summary::Site To = site(Desc, S);
  To.rule = ruleName(S.GlobalRule);
  To.reason = S.GlobalReason;
  return To;
}

summary::Number number(analysis::Bound B) { return {B.Value, B.AtLeast}; }

summary::Finding finding(analysis::Finding F) {
  summary::Finding To;
  To.pattern = std::move(F.Pattern);
  To.kind = std::move(F.Kind);
  To.also = std::move(F.Also);
  To.origin = std::move(F.Origin);
  To.severity = severityName(F.Level);
  To.source = source(F.Source);
  for (const profile::SourcePosition &Frame : F.CallPath)
    if (auto Position = source(Frame))
      To.call_path.push_back(*Position);
  To.evidence = std::move(F.Evidence);
  To.bytes_saved = F.BytesSaved;
  To.seconds_saved = F.SecondsSaved;
  To.message = std::move(F.Message);
  To.suggestion = std::move(F.Suggestion);
  To.fingerprint = std::move(F.Fingerprint);
  return To;
}

std::vector<summary::Bucket> buckets(const std::vector<analysis::Bucket> &Histogram) {
  std::vector<summary::Bucket> To;
  for (const analysis::Bucket &B : Histogram)
    To.push_back(
        {B.From, std::isinf(B.To) ? std::nullopt : std::optional(B.To), B.Elements, B.AtThreshold});
  return To;
}

} // namespace gmprof
