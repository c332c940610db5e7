//===- TransfersTest.cpp - Copies and sets in the log ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include <array>

namespace gmprof::host {
namespace {

using log::HostWait;
using log::ObjectKind;

/// Object, offset, pitch, slice pitch, on the host, opaque.
using Operand = std::array<uint64_t, 6>;

/// For host memory outside of objects, the offset is the address, which differs from run to run.
Operand operand(const log::CopyOperand &O) {
  return {O.object, O.host && O.object == 0 ? 0 : O.offset, O.pitch, O.slicePitch, O.host,
          O.opaque};
}

struct Expected {
  std::string Api;
  uint64_t Stream;
  std::array<uint64_t, 3> Shape;
  Operand To, From;
  HostWait Wait;
};

class TransfersTest : public HostTest {
protected:
  static constexpr auto ToDevice = cudaMemcpyHostToDevice, ToHost = cudaMemcpyDeviceToHost,
                        OnDevice = cudaMemcpyDeviceToDevice;

  void SetUp() override {
    HostTest::SetUp();
    cudaMalloc(&A, 4096);                       // 1
    cudaMalloc(&B, 4096);                       // 2
    cudaMallocHost(&Pinned, 4096);              // 3
    cudaMallocManaged(&M, 4096, 1);             // 4
    cudaMallocArray(&Array, &Float, 64, 16, 0); // 5
  }

  static void compare(const profile::Profile &P, const std::vector<Expected> &All) {
    ASSERT_EQ(P.Copies.size(), All.size());
    for (size_t I = 0; I < All.size(); ++I) {
      const profile::Copy &C = P.Copies[I];
      const Expected &E = All[I];
      SCOPED_TRACE(std::to_string(I) + " " + E.Api);
      EXPECT_EQ(C.Api, E.Api);
      EXPECT_EQ(C.Stream, E.Stream);
      EXPECT_EQ((std::array<uint64_t, 3>{C.RowBytes, C.Rows, C.Slices}), E.Shape);
      EXPECT_EQ(operand(C.To), E.To);
      EXPECT_EQ(operand(C.From), E.From);
      EXPECT_EQ(C.Wait, E.Wait);
      EXPECT_EQ(C.Set, E.Api.starts_with("cudaMemset"));
      EXPECT_EQ(C.Thread, static_cast<uint32_t>(gettid()));
      EXPECT_NE(C.CallPath, profile::None);
      EXPECT_NE(C.BeginNs, 0u);
      EXPECT_LE(C.BeginNs, C.EndNs);
    }
  }
  static void *at(void *Pointer, size_t Offset) { return static_cast<char *>(Pointer) + Offset; }

  const cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  void *A = nullptr, *B = nullptr, *Pinned = nullptr, *M = nullptr;
  cudaArray_t Array = nullptr;
  char Host[64] = {};
};

constexpr Operand Pageable = {0, 0, 0, 0, 1, 0}, None = {};
constexpr uint64_t S1 = 0x100; ///< Stream1
constexpr uint64_t PerThread = 2;

TEST_F(TransfersTest, Linear) {
  cudaMemcpy(at(A, 8), Host, 16, ToDevice);
  cudaMemcpy_ptds(Host, at(A, 8), 16, ToHost);
  cudaMemcpy(A, at(B, 4), 16, cudaMemcpyDefault);
  cudaMemcpyAsync(A, Host, 16, ToDevice, Stream1);
  cudaMemcpyAsync_ptsz(A, B, 16, OnDevice, nullptr);
  cudaMemcpyPeer(A, 0, B, 1, 32);
  cudaMemcpyPeerAsync(A, 0, B, 1, 32, Stream1);
  cudaMemset(A, 0, 4096);
  cudaMemset_ptds(at(A, 1), 0, 2);
  cudaMemsetAsync(A, 0, 4096, Stream1);
  cudaMemsetAsync_ptsz(A, 0, 4096, Stream1);
  cudaMemcpy(A, B, 0, OnDevice); // nothing
  profile::Profile P = finish();
  compare(P, {{"cudaMemcpy", 0, {16, 1, 1}, {1, 8}, Pageable, HostWait::Before},
              {"cudaMemcpy", PerThread, {16, 1, 1}, Pageable, {1, 8}, HostWait::All},
              {"cudaMemcpy", 0, {16, 1, 1}, {1}, {2, 4}, HostWait::None},
              {"cudaMemcpyAsync", S1, {16, 1, 1}, {1}, Pageable, HostWait::None},
              {"cudaMemcpyAsync", PerThread, {16, 1, 1}, {1}, {2}, HostWait::None},
              {"cudaMemcpyPeer", 0, {32, 1, 1}, {1}, {2}, HostWait::None},
              {"cudaMemcpyPeerAsync", S1, {32, 1, 1}, {1}, {2}, HostWait::None},
              {"cudaMemset", 0, {4096, 1, 1}, {1}, None, HostWait::None},
              {"cudaMemset", PerThread, {2, 1, 1}, {1, 1}, None, HostWait::None},
              {"cudaMemsetAsync", S1, {4096, 1, 1}, {1}, None, HostWait::None},
              {"cudaMemsetAsync", S1, {4096, 1, 1}, {1}, None, HostWait::None}});
  EXPECT_TRUE(P.Copies[5].Peer);
  EXPECT_FALSE(P.Copies[6].Peer); // in the order of its stream, as others
}

TEST_F(TransfersTest, Planes) {
  cudaMemcpy2D(A, 64, Host, 8, 8, 3, ToDevice);
  cudaMemcpy2D_ptds(Host, 8, at(A, 4), 64, 8, 3, ToHost);
  cudaMemcpy2DAsync(A, 64, B, 32, 8, 3, OnDevice, Stream1);
  cudaMemset2D(A, 64, 0, 8, 3);
  cudaMemset2DAsync_ptsz(A, 64, 0, 8, 3, nullptr);
  cudaMemcpy3DParms Params = {};
  Params.dstPtr = cudaPitchedPtr{A, 64, 8, 4};
  Params.dstPos = {2, 1, 3};
  Params.srcPtr = cudaPitchedPtr{B, 16, 16, 8};
  Params.extent = {8, 3, 2};
  Params.kind = OnDevice;
  cudaMemcpy3D(&Params);
  cudaMemcpy3DAsync(&Params, Stream1);
  cudaMemcpy3DPeerParms Peer = {};
  Peer.dstPtr = Params.dstPtr;
  Peer.srcPtr = Params.srcPtr;
  Peer.extent = Params.extent;
  cudaMemcpy3DPeer(&Peer);
  cudaMemset3D(Params.dstPtr, 0, {8, 3, 2});
  profile::Profile P = finish();
  const Operand To = {1, 3 * 256 + 64 + 2, 64, 256, 0, 0}, From = {2, 0, 16, 128, 0, 0};
  compare(P, {{"cudaMemcpy2D", 0, {8, 3, 1}, {1, 0, 64}, {0, 0, 8, 0, 1}, HostWait::Before},
              {"cudaMemcpy2D", PerThread, {8, 3, 1}, {0, 0, 8, 0, 1}, {1, 4, 64}, HostWait::All},
              {"cudaMemcpy2DAsync", S1, {8, 3, 1}, {1, 0, 64}, {2, 0, 32}, HostWait::None},
              {"cudaMemset2D", 0, {8, 3, 1}, {1, 0, 64}, None, HostWait::None},
              {"cudaMemset2DAsync", PerThread, {8, 3, 1}, {1, 0, 64}, None, HostWait::None},
              {"cudaMemcpy3D", 0, {8, 3, 2}, To, From, HostWait::None},
              {"cudaMemcpy3DAsync", S1, {8, 3, 2}, To, From, HostWait::None},
              {"cudaMemcpy3DPeer", 0, {8, 3, 2}, {1, 0, 64, 256}, From, HostWait::None},
              {"cudaMemset3D", 0, {8, 3, 2}, {1, 0, 64, 256}, None, HostWait::None}});
  EXPECT_TRUE(P.Copies[7].Peer);
}

TEST_F(TransfersTest, Arrays) {
  cudaMemcpy2DToArray(Array, 0, 0, Host, 8, 8, 2, ToDevice);
  cudaMemcpy2DFromArrayAsync(Host, 8, Array, 0, 0, 8, 2, ToHost, Stream1);
  cudaMemcpy2DArrayToArray(Array, 0, 0, Array, 4, 4, 8, 2, OnDevice);
  cudaMemcpy3DParms Params = {};
  Params.dstArray = Array;
  Params.srcPtr = cudaPitchedPtr{A, 16, 4, 8};
  Params.extent = {4, 3, 1}; // in floats
  Params.kind = OnDevice;
  cudaMemcpy3D(&Params);
  const Operand In = {5, 0, 0, 0, 0, 1};
  compare(finish(),
          {{"cudaMemcpy2DToArray", 0, {8, 2, 1}, In, {0, 0, 8, 0, 1}, HostWait::Before},
           {"cudaMemcpy2DFromArrayAsync", S1, {8, 2, 1}, {0, 0, 8, 0, 1}, In, HostWait::All},
           {"cudaMemcpy2DArrayToArray", 0, {8, 2, 1}, In, In, HostWait::None},
           {"cudaMemcpy3D", 0, {16, 3, 1}, In, {1, 0, 16, 128}, HostWait::None}});
}

TEST_F(TransfersTest, VariablesBecomeObjects) {
  static char Table[64], Sum[64];
  char Name[] = "_ZL5table", Other[] = "sum";
  __cudaRegisterVar(nullptr, Table, Name, Name, 0, 64, /*Constant=*/1, 0);
  __cudaRegisterVar(nullptr, Sum, Other, Other, 0, 64, 0, 0);
  cudaMemcpyToSymbol(Table, Host, 16, 8, ToDevice);
  cudaMemcpyToSymbolAsync(Table, A, 16, 0, OnDevice, Stream1);
  cudaMemcpyFromSymbol(Host, Sum, 8, 4, ToHost);
  void *Address = nullptr;
  cudaGetSymbolAddress(&Address, Sum);
  cudaMemset(Address, 0, 4);
  profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 7u);
  EXPECT_EQ(P.Objects[5].Name, "table");
  EXPECT_EQ(P.Objects[5].Kind, ObjectKind::Constant);
  EXPECT_EQ(P.Objects[5].Bytes, 64u);
  EXPECT_EQ(P.Objects[6].Name, "sum");
  EXPECT_EQ(P.Objects[6].Kind, ObjectKind::GlobalVariable);
  compare(P, {{"cudaMemcpyToSymbol", 0, {16, 1, 1}, {6, 8}, Pageable, HostWait::Before},
              {"cudaMemcpyToSymbolAsync", S1, {16, 1, 1}, {6}, {1}, HostWait::None},
              {"cudaMemcpyFromSymbol", 0, {8, 1, 1}, Pageable, {7, 4}, HostWait::All},
              {"cudaMemset", 0, {4, 1, 1}, {7}, None, HostWait::None}});
}

TEST_F(TransfersTest, HostWaits) {
  cudaMemcpy(A, Pinned, 8, ToDevice);
  cudaMemcpy(at(Pinned, 8), A, 8, ToHost);
  cudaMemcpyAsync(Host, A, 8, ToHost, Stream1);
  cudaMemcpyAsync(Pinned, A, 8, ToHost, Stream1);
  cudaMemcpy(Host, Host + 8, 8, cudaMemcpyHostToHost);
  cudaMemcpy(M, A, 8, OnDevice);
  cudaMemset(Pinned, 0, 8);
  cudaMemset(M, 0, 8);
  cudaMemsetAsync(M, 0, 8, Stream1);
  const Operand InPinned = {3, 0, 0, 0, 1};
  compare(finish(), {{"cudaMemcpy", 0, {8, 1, 1}, {1}, InPinned, HostWait::All},
                     {"cudaMemcpy", 0, {8, 1, 1}, {3, 8, 0, 0, 1}, {1}, HostWait::All},
                     {"cudaMemcpyAsync", S1, {8, 1, 1}, Pageable, {1}, HostWait::All},
                     {"cudaMemcpyAsync", S1, {8, 1, 1}, InPinned, {1}, HostWait::None},
                     {"cudaMemcpy", 0, {8, 1, 1}, Pageable, Pageable, HostWait::None},
                     {"cudaMemcpy", 0, {8, 1, 1}, {4}, {1}, HostWait::None},
                     {"cudaMemset", 0, {8, 1, 1}, InPinned, None, HostWait::All},
                     {"cudaMemset", 0, {8, 1, 1}, {4}, None, HostWait::All},
                     {"cudaMemsetAsync", S1, {8, 1, 1}, {4}, None, HostWait::None}});
}

TEST_F(TransfersTest, UnknownMemoryIsWhereTheDirectionSays) {
  auto *Unknown = reinterpret_cast<void *>(0x1234);
  cudaMemcpy(Unknown, A, 8, OnDevice);
  cudaMemcpy(A, Unknown, 8, ToDevice);
  cudaMemcpy(Unknown, A, 8, cudaMemcpyDefault);
  cudaMemset(Unknown, 0, 8);
  compare(finish(), {{"cudaMemcpy", 0, {8, 1, 1}, None, {1}, HostWait::None},
                     {"cudaMemcpy", 0, {8, 1, 1}, {1}, Pageable, HostWait::Before},
                     {"cudaMemcpy", 0, {8, 1, 1}, Pageable, {1}, HostWait::All},
                     {"cudaMemset", 0, {8, 1, 1}, None, None, HostWait::None}});
}

TEST_F(TransfersTest, Batches) {
  void *To[] = {A, at(A, 64)};
  const void *From[] = {B, Host};
  size_t Bytes[] = {8, 16};
  cudaMemcpyAttributes Attributes = {};
  size_t Index = 0;
  cudaMemcpyBatchAsync(To, From, Bytes, 2, &Attributes, &Index, 1, Stream1);
  // Copies rows of 24 bytes in layers of 5 rows, without gaps; then elements of an array.
  cudaMemcpy3DBatchOp Ops[2] = {};
  Ops[0].dst.type = Ops[0].src.type = Ops[1].src.type = cudaMemcpyOperandTypePointer;
  Ops[0].dst.op.ptr.ptr = at(A, 16);
  Ops[0].dst.op.ptr.rowLength = 24;
  Ops[0].dst.op.ptr.layerHeight = 5;
  Ops[0].src.op.ptr.ptr = B;
  Ops[0].extent = {10, 4, 2};
  Ops[1].dst.type = cudaMemcpyOperandTypeArray;
  Ops[1].dst.op.array.array = Array;
  Ops[1].src.op.ptr.ptr = B;
  Ops[1].extent = {64, 16, 1};
  cudaMemcpy3DBatchAsync(2, Ops, 0, Stream1);
  profile::Profile P = finish();
  compare(
      P,
      {{"cudaMemcpyBatchAsync", S1, {8, 1, 1}, {1}, {2}, HostWait::None},
       {"cudaMemcpyBatchAsync", S1, {16, 1, 1}, {1, 64}, Pageable, HostWait::None},
       {"cudaMemcpy3DBatchAsync", S1, {10, 4, 2}, {1, 16, 24, 120}, {2, 0, 10, 40}, HostWait::None},
       {"cudaMemcpy3DBatchAsync",
        S1,
        {256, 16, 1},
        {5, 0, 0, 0, 0, 1},
        {2, 0, 256, 4096},
        HostWait::None}});
  EXPECT_TRUE(P.Gaps.empty());
}

TEST_F(TransfersTest, BatchesThatAreCapturedAreCounted) {
  void *To[] = {A, at(A, 64), B};
  const void *From[] = {B, Host, A};
  size_t Bytes[] = {8, 16, 8};
  cudaMemcpyAttributes Attributes = {};
  size_t Index = 0;
  cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal);
  cudaMemcpyBatchAsync(To, From, Bytes, 3, &Attributes, &Index, 1, Stream1);
  profile::Profile P = finish();
  EXPECT_EQ(P.Copies.size(), 0u);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "copies");
  EXPECT_EQ(P.Gaps[0].Reason, "cudaMemcpyBatchAsync into a stream that is captured");
  EXPECT_EQ(P.Gaps[0].Count, 3u);
}

TEST_F(TransfersTest, FailuresLeaveNoRecord) {
  fake::fail("cudaMemcpy", cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(A, Host, 8, ToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(finish().Copies.size(), 0u);
}

TEST_F(TransfersTest, CapturedCopyIsNoCopy) {
  cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(A, B, 8, OnDevice, Stream1);
  cudaMemsetAsync(A, 0, 8, Stream1);
  cudaGraph_t Graph;
  cudaStreamEndCapture(Stream1, &Graph);
  cudaMemsetAsync(B, 0, 8, Stream1);
  compare(finish(), {{"cudaMemsetAsync", S1, {8, 1, 1}, {2}, None, HostWait::None}});
  EXPECT_EQ(fake::captureViolations(), 0);
}

} // namespace
} // namespace gmprof::host
