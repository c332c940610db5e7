//===- CloneSource.cpp - Where kernels get clones at run time -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneSource.h"
#include "gmprof/abi.h"
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof::host {

/// Returns what changes if the helper's file is replaced; empty if there is none.
static std::string identityOf(const std::string &Program) {
  struct stat Status = {};
  if (Program.empty() || ::access(Program.c_str(), X_OK) != 0 ||
      ::stat(Program.c_str(), &Status) != 0)
    return "";
  return std::to_string(Status.st_size) + " " + std::to_string(Status.st_mtim.tv_sec) + " " +
         std::to_string(Status.st_mtim.tv_nsec);
}

CloneSource::CloneSource(Settings Of)
    : S(std::move(Of)), Identity(identityOf(S.Helper)), Cache(S.CacheDirectory) {}

CloneSource::~CloneSource() { stop(); }

std::string CloneSource::installedHelper() {
  const std::string Folder = folderOf(reinterpret_cast<const void *>(&installedHelper));
  for (const char *Bin : {"/../bin", "/" GMPROF_BIN_FROM_LIB, ""})
    if (std::string Path = Folder + Bin + "/gmprof-instrument"; !identityOf(Path).empty())
      return Path;
  return "";
}

std::string CloneSource::keyOf(const CloneRequest &Request) const {
  std::string Text = "GMProf " GMPROF_VERSION " LLVM " GMPROF_LLVM_PACKAGE_VERSION " ABI " +
                     std::to_string(GMPROF_ABI_VERSION) + " " + Identity;
  const auto Add = [&](std::string_view Part) {
    Text.push_back('\0');
    Text.append(Part);
  };
  Add(Request.ModuleHash);
  Add(Request.Kernel);
  Add(Request.Architecture);
  Add(Request.Form == CodeForm::Ptx ? "PTX" : "bitcode");
  Add(std::to_string(Request.Profiles.size()));
  for (const std::string_view Profile : Request.Profiles)
    Add(Profile);
  for (const std::string_view Option : Request.Options)
    Add(Option);
  return moduleHash(Text);
}

bool CloneSource::start() {
  // A fork of the process that started the helper must not use its socket, nor end it.
  if (Helper && (Starter != ::getpid() || !Helper->hasSocket()))
    stop();
  if (Helper)
    return true;
  const std::lock_guard<std::mutex> Guard(HelperLock);
  if (Failures >= MaxFailures || Cancelled)
    return false;
  Helper = std::make_unique<HelperProcess>(S.Helper, std::vector<std::string>{"serve"},
                                           HelperProcess::Errors::Discard);
  Starter = ::getpid();
  Sent.clear();
  return true;
}

void CloneSource::stop() {
  if (Helper && Starter != ::getpid())
    Helper->abandon();
  std::unique_ptr<HelperProcess> Ended;
  {
    const std::lock_guard<std::mutex> Guard(HelperLock);
    Ended = std::move(Helper);
  }
}

void CloneSource::cancel() {
  const std::lock_guard<std::mutex> Guard(HelperLock);
  Cancelled = true;
  if (Helper)
    Helper->kill();
}

Result<CloneAnswer> CloneSource::exchange(const CloneRequest &Request,
                                          HelperProcess::Time Deadline) {
  std::optional<std::string> Head, Body;
  FrameHeader Header;
  if (Helper->write(encode(Request), Deadline))
    Head = Helper->read(sizeof(Header), Deadline);
  if (Head) {
    std::memcpy(&Header, Head->data(), sizeof(Header));
    if (Header.Magic != AnswerMagic || Header.Bytes > MaxAnswerBytes)
      return Error{"gmprof-instrument gave an invalid answer"};
    Body = Helper->read(Header.Bytes, Deadline);
  }
  if (!Body && std::chrono::steady_clock::now() >= Deadline)
    return Error{"gmprof-instrument did not answer within " + std::to_string(S.Timeout.count()) +
                 " ms"};
  if (!Body)
    return Error{"gmprof-instrument ended without an answer"};
  std::optional<CloneAnswer> Answer = decodeAnswer(*Body);
  if (!Answer)
    return Error{"gmprof-instrument gave an invalid answer"};
  return *std::move(Answer);
}

Result<CloneAnswer> CloneSource::ask(CloneRequest Request) {
  const HelperProcess::Time Deadline = std::chrono::steady_clock::now() + S.Timeout;
  // In a fork, the thread that holds the lock may not exist.
  const std::unique_lock<std::timed_mutex> Guard(Lock, Deadline);
  if (!Guard)
    return Error{"gmprof-instrument was busy for " + std::to_string(S.Timeout.count()) + " ms"};
  if (!start())
    return Error{Failures < MaxFailures ? "gmprof-instrument was ended"
                                        : "gmprof-instrument failed " +
                                              std::to_string(MaxFailures) + " times in a row"};
  const CloneRequest Whole = Request;
  const bool IsSent = Sent.contains(std::string(Request.ModuleHash));
  if (IsSent)
    Request.Module = Request.MachineCode = {};
  Result<CloneAnswer> Answer = exchange(Request, Deadline);
  if (IsSent && Answer && Answer->Status == CloneStatus::UnknownModule) {
    Answer = exchange(Whole, Deadline); // the helper has forgotten the module
  }
  if (Answer && Answer->Status == CloneStatus::UnknownModule)
    Answer = Error{"gmprof-instrument gave an invalid answer"};
  if (!Answer) {
    ++Failures;
    stop();
    return Answer;
  }
  Failures = 0;
  Sent.emplace(Request.ModuleHash);
  return Answer;
}

Result<CloneSource::Clone> CloneSource::get(CloneRequest Request) {
  if (Identity.empty())
    return Error{S.Helper.empty() ? "gmprof-instrument is not installed"
                                  : "'" + S.Helper + "' cannot be executed"};
  if (Request.MachineCode.size() > MaxRequestBytes / 4)
    return Error{"the machine code exceeds " + std::to_string(MaxRequestBytes >> 22) + " MiB"};
  if (Request.Module.size() > MaxRequestBytes / 2)
    return Error{"the module exceeds " + std::to_string(MaxRequestBytes >> 21) + " MiB"};
  std::string Hash;
  if (Request.ModuleHash.empty())
    Request.ModuleHash = Hash = moduleHash(Request.Module, Request.MachineCode);
  const std::string Key = keyOf(Request);
  if (const std::optional<std::string> Known = Cache.find(Key))
    if (std::optional<CloneAnswer> Answer = decodeAnswer(*Known))
      return Clone{std::move(Answer->Text), std::move(Answer->Variables)};
  Result<CloneAnswer> Answer = ask(Request);
  if (!Answer)
    return Error{Answer.error()};
  if (Answer->Status != CloneStatus::Made)
    return Error{std::move(Answer->Text)};
  Cache.store(Key, std::string_view(encode(*Answer)).substr(sizeof(FrameHeader)));
  return Clone{std::move(Answer->Text), std::move(Answer->Variables)};
}

} // namespace gmprof::host
