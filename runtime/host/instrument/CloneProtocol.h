//===- CloneProtocol.h - Requests for clones, and their answers -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The profiled process asks `gmprof-instrument serve` for clones over a socket. Both are programs
// of one installation on one machine. A message is a frame:
//
//   u32 magic     RequestMagic or AnswerMagic
//   u32 bytes     of the body
//   body
//
// Numbers are in the machine's byte order. A string is its length (u32) and its bytes, a list its
// length (u32) and its strings. The fields of CloneRequest and CloneAnswer follow each other in the
// order of their declaration. A body that is too long, ends early or has bytes left is malformed.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_CLONEPROTOCOL_H
#define GMPROF_HOST_INSTRUMENT_CLONEPROTOCOL_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof {

constexpr uint32_t RequestMagic = 0x31514d47; ///< "GMQ1"
constexpr uint32_t AnswerMagic = 0x31414d47;  ///< "GMA1"
constexpr size_t MaxRequestBytes = size_t(256) << 20;
constexpr size_t MaxAnswerBytes = size_t(64) << 20;
constexpr size_t MaxCloneOptions = 64, MaxCloneProfiles = 16;

struct FrameHeader {
  uint32_t Magic = 0;
  uint32_t Bytes = 0; ///< of the body
};

/// The form of an answer.
enum class CodeForm : uint32_t {
  Ptx,
  Bitcode,      ///< in LLVM's wrapper, which states its size; for the CPU device
  Instrumented, ///< encode(InstrumentedKernel): no code that a device runs
};

/// CloneRequest::Module that stands for the hooks (runtime/device), some of which are kernels that
/// the recorder launches.
constexpr std::string_view HooksModule = "hooks of GMProf";

/// A clone that is asked for. The strings belong to the caller, or to the body that was decoded.
struct CloneRequest {
  std::string_view ModuleHash;  ///< moduleHash of the module and its machine code
  std::string_view Module;      ///< PTX, LLVM IR or bitcode; empty: both were sent before
  std::string_view MachineCode; ///< the cubin that runs; empty: not known
  std::string_view Kernel;      ///< mangled name; empty: the module's only kernel
  /// As -gm-profile names them. None: the kernel itself is asked for, without a descriptor.
  std::vector<std::string_view> Profiles;
  std::string_view Architecture;         ///< of the device: "sm_90"; empty: the module's own
  std::vector<std::string_view> Options; ///< of the pass: "-gm-level=basic"
  CodeForm Form = CodeForm::Ptx;         ///< of the answer
};

enum class CloneStatus : uint32_t {
  Made,          ///< Text is code
  Refused,       ///< the same request will always fail; Text says why
  UnknownModule, ///< the module was not sent, or is forgotten: send it
  Failed,        ///< a crash, a limit: Text says what
};

struct CloneAnswer {
  CloneStatus Status = CloneStatus::Failed; ///< a u32
  /// Code of a module with the clones of the profiles and the kernel's descriptor, or an
  /// InstrumentedKernel, in the form that was asked for; or the reason why there is none, one line.
  std::string Text;
  /// Names of the program's variables whose device addresses fill the module's table
  /// GMPROF_VARIABLES_TABLE before the first launch, in this order.
  std::vector<std::string> Variables;
};

/// A clone that no code has been generated for.
struct InstrumentedClone {
  std::string Name;    ///< of the clone: "scale__gm_heat"
  std::string Bitcode; ///< CloneRequest::Module of a request for its code, without profiles

  bool operator==(const InstrumentedClone &) const = default;
};

/// The clones of a kernel. A launch runs at most one of them, and most kernels never run some: code
/// is generated for those that run.
struct InstrumentedKernel {
  std::string Descriptor; ///< GmprofKernelDesc and what follows it
  std::vector<InstrumentedClone> Clones;
};

/// Constant u64 [number of variables] in a clone's module.
#define GMPROF_VARIABLES_TABLE "__gm_variables"

/// Returns the hash that names a module and its machine code, if known: 32 hexadecimal digits.
std::string moduleHash(std::string_view Module, std::string_view MachineCode = {});

/// Returns the whole frame.
std::string encode(const CloneRequest &Request);
std::string encode(const CloneAnswer &Answer);

/// Returns CloneAnswer::Text, and the kernel that it describes; nothing if it is malformed.
std::string encode(const InstrumentedKernel &Kernel);
std::optional<InstrumentedKernel> decodeInstrumentedKernel(std::string_view Text);

/// Decodes the body of a frame; nothing if it is malformed.
std::optional<CloneRequest> decodeRequest(std::string_view Body);
std::optional<CloneAnswer> decodeAnswer(std::string_view Body);

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_CLONEPROTOCOL_H
