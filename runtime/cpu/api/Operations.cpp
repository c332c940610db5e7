//===- Operations.cpp - Operations of streams and graphs ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Operations.h"
#include "cpu/api/Capture.h"
#include "cpu/api/Conditions.h"
#include "cpu/api/Copies.h"
#include "cpu/api/Device.h"
#include "cpu/api/Errors.h"
#include "cpu/api/Events.h"
#include "cpu/api/Graphs.h"
#include "cpu/api/Memory.h"

namespace gmprof::cpu::api {

namespace {

cudaError_t errorOf(FaultKind Kind) {
  switch (Kind) {
  case FaultKind::IllegalAddress:
    return cudaErrorIllegalAddress;
  case FaultKind::MisalignedAddress:
    return cudaErrorMisalignedAddress;
  case FaultKind::Assert:
    return cudaErrorAssert;
  case FaultKind::Trap:
  case FaultKind::Deadlock:
  case FaultKind::StackOverflow:
    return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

/// Executes operations on a worker. After a kernel's failure the device executes nothing more, but
/// stream callbacks still receive the error.
class Executor {
public:
  Executor(Device &Dev, int Priority) : Dev(Dev), Priority(Priority) {}

  void operator()(const KernelOp &Op) const {
    if (Dev.failure() != cudaSuccess)
      return;
    std::vector<void *> Arguments = Op.argumentPointers();
    auto End = Op.Code->Owner.code().run(Op.Code->Info, Op.Config, Arguments.data(), memory());
    if (auto *F = std::get_if<Fault>(&End))
      fail(errorOf(F->Kind), F->Message);
    else if (auto *Error = std::get_if<LoadError>(&End))
      fail(cudaErrorNotSupported, Error->Message);
  }

  void operator()(const CopyOp &Op) const {
    if (Dev.failure() == cudaSuccess && !executeCopy(Op))
      fail(cudaErrorIllegalAddress, "an asynchronous copy found its memory freed when it ran");
  }

  void operator()(const MemsetOp &Op) const {
    if (Dev.failure() == cudaSuccess && !executeMemset(Op))
      fail(cudaErrorIllegalAddress, "an asynchronous memset found its memory freed when it ran");
  }

  void operator()(const HostOp &Op) const {
    if (Dev.failure() != cudaSuccess)
      return;
    HostFunctionScope Scope;
    Op.Function(Op.Data);
  }

  void operator()(const CallbackOp &Op) const {
    HostFunctionScope Scope;
    Op.Function(Op.Handle, Dev.failure(), Op.Data);
  }

  /// Runs bodies one by one, because each decides on the next.
  void operator()(const ConditionalOp &Op) const {
    while (Dev.failure() == cudaSuccess) {
      const Graph *Body = Op.chosen();
      if (!Body)
        return;
      startNodes(*Body, {}, Dev, Priority)->wait();
      if (Op.Type != cudaGraphCondTypeWhile)
        return;
    }
  }

  void operator()(const AllocOp &Op) const { Op.Memory->setOutstanding(true); }
  void operator()(const FreeOp &Op) const { freeAllocation(Op.Start); }

  // Pure dependencies have nothing to execute.
  void operator()(const EmptyOp &) const {}
  void operator()(const EventRecordOp &) const {}
  void operator()(const EventWaitOp &) const {}
  void operator()(const ChildOp &) const {}

private:
  void fail(cudaError_t Error, const std::string &Line) const {
    complain(Line);
    Dev.fail(Error);
  }

  Device &Dev;
  const int Priority;
};

} // namespace

const Graph *ConditionalOp::chosen() const {
  const unsigned Value = By->value();
  // Body 0 of a switch is for value 0; in other types it is for values other than 0.
  const size_t Index = Type == cudaGraphCondTypeSwitch ? Value : Value == 0;
  return Index < Bodies.size() ? Bodies[Index].get() : nullptr;
}

std::vector<void *> KernelOp::argumentPointers() const {
  std::vector<void *> Pointers;
  Pointers.reserve(Code->Info.Params.size());
  for (const ParamInfo &P : Code->Info.Params)
    Pointers.push_back(const_cast<std::byte *>(Arguments.data()) + P.Offset);
  return Pointers;
}

TaskRef start(const OperationRef &Op, std::span<const TaskRef> After, Device &Dev, int Priority) {
  if (auto *Record = std::get_if<EventRecordOp>(Op.get()))
    return Record->Target->record(After);
  if (auto *Wait = std::get_if<EventWaitOp>(Op.get())) {
    std::vector<TaskRef> Both(After.begin(), After.end());
    Both.push_back(Wait->Source->lastRecord());
    return scheduler().submitBrief({}, Both);
  }
  if (auto *Child = std::get_if<ChildOp>(Op.get()))
    return startNodes(*Child->Child, After, Dev, Priority);
  if (std::holds_alternative<EmptyOp>(*Op))
    return scheduler().submitBrief({}, After);
  if (auto *K = std::get_if<KernelOp>(Op.get()))
    Priority = std::min(Priority, K->Priority);
  return scheduler().submit([Op, &Dev, Priority] { std::visit(Executor(Dev, Priority), *Op); },
                            After, Priority);
}

Submission submit(Stream &S, Operation Op) {
  if (std::optional<cudaError_t> Captured = capture(S, Op))
    return {*Captured, nullptr};
  auto Shared = std::make_shared<const Operation>(std::move(Op));
  return {cudaSuccess, S.Dev.append(S, [&](const std::vector<TaskRef> &After) {
            return start(Shared, After, S.Dev, S.Priority);
          })};
}

cudaError_t submitAndWait(Stream &S, Operation Op) {
  Submission Sent = submit(S, std::move(Op));
  if (!Sent.Task)
    return Sent.Error;
  Sent.Task->wait();
  return S.Dev.failure();
}

} // namespace gmprof::cpu::api
