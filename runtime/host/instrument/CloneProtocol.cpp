//===- CloneProtocol.cpp - Requests for clones, and their answers ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneProtocol.h"
#include <cinttypes>
#include <cstdio>
#include <cstring>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gmprof {
namespace {

class Writer {
public:
  Writer() = default;
  /// Begins a frame.
  explicit Writer(uint32_t Magic) {
    number(Magic);
    number(0); // bytes of the body
  }
  void number(uint32_t N) { Bytes.append(reinterpret_cast<const char *>(&N), sizeof(N)); }
  void string(std::string_view S) {
    number(static_cast<uint32_t>(S.size()));
    Bytes.append(S);
  }
  template <typename List> void list(const List &Strings) {
    number(static_cast<uint32_t>(Strings.size()));
    for (const auto &S : Strings)
      string(S);
  }
  std::string frame() {
    const auto Body = static_cast<uint32_t>(Bytes.size() - sizeof(FrameHeader));
    std::memcpy(Bytes.data() + offsetof(FrameHeader, Bytes), &Body, sizeof(Body));
    return std::move(Bytes);
  }
  std::string text() { return std::move(Bytes); }

private:
  std::string Bytes;
};

class Reader {
public:
  explicit Reader(std::string_view Body) : Left(Body) {}
  uint32_t number() {
    uint32_t N = 0;
    const std::string_view Bytes = take(sizeof(N));
    if (Bytes.size() == sizeof(N))
      std::memcpy(&N, Bytes.data(), sizeof(N));
    return N;
  }
  std::string_view string() { return take(number()); }
  template <typename List> void list(List &Strings, size_t Max) {
    const uint32_t Count = number();
    Valid &= Count <= Max;
    for (uint32_t I = 0; Valid && I < Count; ++I)
      Strings.emplace_back(string());
  }
  bool isValid() const { return Valid; }
  bool atValidEnd() const { return Valid && Left.empty(); }

private:
  std::string_view take(size_t Count) {
    Valid &= Count <= Left.size();
    if (!Valid)
      return {};
    const std::string_view Taken = Left.substr(0, Count);
    Left.remove_prefix(Count);
    return Taken;
  }
  std::string_view Left;
  bool Valid = true;
};

} // namespace

std::string moduleHash(std::string_view Module, std::string_view MachineCode) {
  XXH128_hash_t Hash = XXH3_128bits(Module.data(), Module.size());
  if (!MachineCode.empty())
    Hash = XXH3_128bits_withSeed(MachineCode.data(), MachineCode.size(), Hash.low64 ^ Hash.high64);
  char Text[33];
  std::snprintf(Text, sizeof(Text), "%016" PRIx64 "%016" PRIx64, Hash.high64, Hash.low64);
  return Text;
}

std::string encode(const CloneRequest &Request) {
  Writer W(RequestMagic);
  W.string(Request.ModuleHash);
  W.string(Request.Module);
  W.string(Request.MachineCode);
  W.string(Request.Kernel);
  W.list(Request.Profiles);
  W.string(Request.Architecture);
  W.list(Request.Options);
  W.number(static_cast<uint32_t>(Request.Form));
  return W.frame();
}

std::string encode(const CloneAnswer &Answer) {
  Writer W(AnswerMagic);
  W.number(static_cast<uint32_t>(Answer.Status));
  W.string(Answer.Text);
  W.list(Answer.Variables);
  return W.frame();
}

std::string encode(const InstrumentedKernel &Kernel) {
  Writer W;
  W.string(Kernel.Descriptor);
  W.number(static_cast<uint32_t>(Kernel.Clones.size()));
  for (const InstrumentedClone &C : Kernel.Clones) {
    W.string(C.Name);
    W.string(C.Bitcode);
  }
  return W.text();
}

std::optional<CloneRequest> decodeRequest(std::string_view Body) {
  Reader R(Body);
  CloneRequest Request;
  Request.ModuleHash = R.string();
  Request.Module = R.string();
  Request.MachineCode = R.string();
  Request.Kernel = R.string();
  R.list(Request.Profiles, MaxCloneProfiles);
  Request.Architecture = R.string();
  R.list(Request.Options, MaxCloneOptions);
  Request.Form = static_cast<CodeForm>(R.number());
  const bool IsKnown = Request.Form <= CodeForm::Instrumented;
  return R.atValidEnd() && IsKnown ? std::optional(Request) : std::nullopt;
}

std::optional<CloneAnswer> decodeAnswer(std::string_view Body) {
  Reader R(Body);
  CloneAnswer Answer;
  const uint32_t Status = R.number();
  Answer.Status = static_cast<CloneStatus>(Status);
  Answer.Text = R.string();
  R.list(Answer.Variables, Body.size());
  const bool IsKnown = Status <= static_cast<uint32_t>(CloneStatus::Failed);
  return R.atValidEnd() && IsKnown ? std::optional(std::move(Answer)) : std::nullopt;
}

std::optional<InstrumentedKernel> decodeInstrumentedKernel(std::string_view Text) {
  Reader R(Text);
  InstrumentedKernel Kernel;
  Kernel.Descriptor = R.string();
  const uint32_t Count = R.number();
  for (uint32_t I = 0; R.isValid() && I < Count; ++I) {
    const std::string_view Name = R.string();
    Kernel.Clones.push_back({std::string(Name), std::string(R.string())});
  }
  return R.atValidEnd() ? std::optional(std::move(Kernel)) : std::nullopt;
}

} // namespace gmprof
