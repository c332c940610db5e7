//===- TraceTest.cpp - Tests of trace files -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceLaunches.h"
#include "cache/TraceReader.h"
#include "cache/TraceSimulation.h"
#include "cache/TraceWriter.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

using namespace gmprof;
using namespace gmprof::cache;

namespace {

/// Compares all properties that do not depend on whether a request is affine.
void expectSame(const Request &A, const Request &B) {
  EXPECT_EQ(A.Site, B.Site);
  EXPECT_EQ(A.Block, B.Block);
  EXPECT_EQ(A.Warp, B.Warp);
  EXPECT_EQ(A.Kind, B.Kind);
  EXPECT_EQ(A.Operator, B.Operator);
  EXPECT_EQ(A.Size, B.Size);
  EXPECT_EQ(A.Mask, B.Mask);
  EXPECT_EQ(A.Slot, B.Slot);
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    if (A.Mask >> Lane & 1) {
      EXPECT_EQ(A.address(Lane), B.address(Lane)) << Lane;
    }
}

/// Makes the lanes contiguous, as in bulk copies.
void makeSideBySide(Request &R) {
  R.Mask = AllLanes >> std::countl_zero(R.Mask);
  R.Affine = true;
  R.RowLanes = WarpLanes;
  R.Stride = R.Size;
  R.Step = 0;
}

/// Returns requests of every kind, operator and size, with one, some and all lanes.
std::vector<Request> everything() {
  std::vector<Request> All;
  for (unsigned I = 0; I < 210; ++I) {
    Request R;
    R.Site = I % 3;
    R.Block = I % 5 == 0 ? (uint64_t(1) << 40) - I : I / 7;
    R.Warp = static_cast<uint16_t>(I % 32);
    R.Slot = static_cast<uint16_t>(I % 64);
    R.Kind = static_cast<AccessKind>(I % AccessKinds);
    R.Operator = static_cast<CacheOperator>(I % CacheOperators);
    R.Size = static_cast<uint8_t>(1U << I % 6);
    R.Mask = I % 4 == 0 ? AllLanes : I % 4 == 1 ? 1U << I % 32 : 0x80f00010U + I;
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      R.Addresses[Lane] = 0x7f0000000000 + I % 11 * 0x1000 - (I % 2 ? Lane * 64 : Lane * Lane);
    if (I % 3)
      findStride(R);
    if (R.Affine && I % 4 == 2) {
      R.RowLanes = static_cast<uint8_t>(2U << I % 4);
      R.Step = 0x5000 - int64_t(I) * 100;
    }
    if (R.Operator == CacheOperator::Bulk)
      makeSideBySide(R);
    All.push_back(R);
  }
  return All;
}

TEST(RequestCoder, EverythingComesBack) {
  const std::vector<Request> All = everything();
  CoderState Encoder, Decoder;
  GrowingArray<std::byte> Bytes;
  for (const Request &R : All)
    encode(R, Encoder, Bytes);
  std::span<const std::byte> Rest = Bytes;
  for (const Request &R : All) {
    Request Back;
    ASSERT_TRUE(decode(Rest, Decoder, 3, Back));
    expectSame(R, Back);
  }
  EXPECT_TRUE(Rest.empty());
}

/// Returns the encoded size of each iteration of two warps in a loop of two instructions, whose
/// addresses advance by 16 bytes per iteration and start over in the last one, as in an inner loop.
std::vector<size_t> bytesOfTurns(Request R) {
  CoderState State;
  GrowingArray<std::byte> Bytes;
  std::vector<size_t> Turns;
  for (const uint64_t Turn : {0, 1, 2, 3, 4, 0}) {
    const size_t Before = Bytes.size();
    for (R.Site = 0; R.Site < 2; ++R.Site)
      for (R.Slot = 0; R.Slot < 2; ++R.Slot) {
        R.Block = R.Slot;
        R.Addresses[0] = (R.Slot + 1) << 11 | Turn << 4;
        encode(R, State, Bytes);
      }
    Turns.push_back(Bytes.size() - Before);
  }
  return Turns;
}

// Each request has a head and a slot. The first iteration adds form, size, stride and two bytes of
// an address to each, block and warp to the second warp's first request, and the site to the second
// request of each warp. The second iteration and the last one add the new address difference.
TEST(RequestCoder, ALoopTakesTwoBytesForARequest) {
  Request R;
  R.Affine = true;
  R.Stride = 4;
  EXPECT_EQ(bytesOfTurns(R),
            (std::vector<size_t>{4 * (2 + 3 + 2) + 2 + 2, 4 * (2 + 1), 8, 8, 8, 4 * (2 + 1)}));
  // Rows add their lanes and two bytes for the step, in the first iteration only.
  R.RowLanes = 16;
  R.Step = 1024;
  EXPECT_EQ(bytesOfTurns(R),
            (std::vector<size_t>{4 * (2 + 3 + 3 + 2) + 2 + 2, 4 * (2 + 1), 8, 8, 8, 4 * (2 + 1)}));
}

/// Returns the encoding of a request whose lanes 3, 7 and 31 access these distances from 0x1000.
std::vector<std::byte> bytesOfLanes(const std::array<uint64_t, 3> &Distances) {
  Request R;
  R.Mask = 1U << 3 | 1U << 7 | 1U << 31;
  unsigned Lane = 0;
  for (const unsigned Active : {3, 7, 31})
    R.Addresses[Active] = 0x1000 + Distances[Lane++];
  CoderState Encoder, Decoder;
  GrowingArray<std::byte> Bytes;
  encode(R, Encoder, Bytes);
  std::span<const std::byte> Rest = Bytes;
  Request Back;
  EXPECT_TRUE(decode(Rest, Decoder, 1, Back));
  EXPECT_TRUE(Rest.empty());
  expectSame(R, Back);
  return {Bytes.begin(), Bytes.end()};
}

// A head, a slot, form and size, the mask, and two bytes for 2 * 0x1000; then the shape of the
// lanes, and per lane the bytes that the largest distance needs without common low zero bits.
TEST(RequestCoder, LanesTakeAsManyBytesAsTheFarthestOne) {
  const size_t Before = 2 + 2 + 4 + 2;
  const auto LanesOf = [&](const std::array<uint64_t, 3> &Distances) {
    const std::vector<std::byte> All = bytesOfLanes(Distances);
    std::vector<unsigned> Lanes;
    for (size_t I = Before; I < All.size(); ++I)
      Lanes.push_back(std::to_integer<unsigned>(All[I]));
    return Lanes;
  };
  using Numbers = std::vector<unsigned>;
  EXPECT_EQ(LanesOf({0, 0, 0}), (Numbers{1, 0, 0, 0}));
  EXPECT_EQ(LanesOf({0, 1, 255}), (Numbers{1, 0, 1, 255}));
  EXPECT_EQ(LanesOf({255 * 4, 0, 8}), (Numbers{1 | 2 << 4, 255, 0, 2}));
  EXPECT_EQ(LanesOf({0, 256 * 4, 4}), (Numbers{2 | 2 << 4, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(LanesOf({0x10000, 1, 0}), (Numbers{3, 0, 0, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(LanesOf({0, 0x1000000, 1}), (Numbers{4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}));
  const uint64_t Far = uint64_t(1) << 32;
  EXPECT_EQ(LanesOf({1, 0, Far}).size(), 1U + 3 * 8);
  EXPECT_EQ(LanesOf({0, 0, Far}), (Numbers{3 | 15 << 4, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
}

TEST(RequestCoder, RefusesLanesOfAWidthThatCannotBe) {
  std::vector<std::byte> All = bytesOfLanes({0, 1, 255});
  ASSERT_EQ(All.size(), 14U);
  All.resize(64); // enough for any width
  for (const unsigned Width : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15}) {
    All[10] = static_cast<std::byte>(Width);
    std::span<const std::byte> Rest = All;
    CoderState State;
    Request Back;
    EXPECT_EQ(decode(Rest, State, 1, Back), (Width >= 1 && Width <= 4) || Width == 8) << Width;
  }
}

TEST(RequestCoder, RefusesRowsThatCannotBe) {
  Request R;
  R.Affine = true;
  R.RowLanes = 2;
  R.Addresses[0] = 0;
  CoderState State;
  GrowingArray<std::byte> Bytes;
  encode(R, State, Bytes);
  ASSERT_EQ(Bytes.size(), 7U); // head, slot, form, size, stride, rows, step
  const auto Decodes = [&](size_t At, unsigned Value) {
    std::vector<std::byte> Changed(Bytes.begin(), Bytes.end());
    Changed[At] = static_cast<std::byte>(Value);
    std::span<const std::byte> Rest = Changed;
    CoderState Fresh;
    Request Back;
    return decode(Rest, Fresh, 1, Back);
  };
  EXPECT_TRUE(Decodes(5, 1));
  EXPECT_TRUE(Decodes(5, 4));
  EXPECT_FALSE(Decodes(5, 0));
  EXPECT_FALSE(Decodes(5, 5));
  EXPECT_FALSE(Decodes(2, std::to_integer<unsigned>(Bytes[2]) & ~8U)); // not affine
  EXPECT_FALSE(Decodes(0, std::to_integer<unsigned>(Bytes[0]) | 4));   // form repeated
  EXPECT_FALSE(Decodes(0, std::to_integer<unsigned>(Bytes[0]) | 16));
}

TEST(RequestCoder, RefusesImpossibleRequests) {
  Request R;
  CoderState State;
  GrowingArray<std::byte> Bytes;
  R.Addresses.fill(0x1000);
  R.Site = 4;
  encode(R, State, Bytes);
  for (size_t Size = 0; Size < Bytes.size(); ++Size) {
    std::span<const std::byte> Part(Bytes.begin(), Size);
    CoderState Fresh;
    EXPECT_FALSE(decode(Part, Fresh, 5, R)) << Size;
  }
  std::span<const std::byte> Whole = Bytes;
  CoderState Fresh;
  EXPECT_FALSE(decode(Whole, Fresh, 4, R)); // site 4 does not exist
  Bytes[3] |= std::byte{7};                 // kind 7 neither
  Whole = Bytes;
  EXPECT_FALSE(decode(Whole, Fresh, 5, R));
}

/// Decodes a request; returns it with its size in bytes, or nothing if it is refused.
std::optional<std::pair<Request, size_t>> decoded(std::span<const std::byte> From) {
  CoderState State;
  std::pair<Request, size_t> Result;
  const size_t Before = From.size();
  if (!decode(From, State, 3, Result.first))
    return std::nullopt;
  Result.second = Before - From.size();
  return Result;
}

// Requests with fewer than 343 bytes, the maximum size, left in a chunk take another path of the
// decoder.
TEST(RequestCoder, DamagedOnesAreTheSameAtTheEndAndBefore) {
  const std::vector<Request> All = everything();
  for (size_t I = 0; I < All.size(); I += 7) {
    CoderState State;
    GrowingArray<std::byte> Encoded;
    encode(All[I], State, Encoded);
    std::vector<std::byte> Bytes(Encoded.begin(), Encoded.end());
    Bytes.resize(1000);
    for (size_t At = 0; At < std::min<size_t>(Encoded.size(), 12); ++At) {
      const std::byte Before = Bytes[At];
      for (unsigned Value = 0; Value < 256; ++Value) {
        Bytes[At] = static_cast<std::byte>(Value);
        const auto Inside = decoded(Bytes), Last = decoded(std::span(Bytes).first(300));
        ASSERT_EQ(Inside.has_value(), Last.has_value()) << I << " " << At << " " << Value;
        if (!Inside)
          continue;
        expectSame(Inside->first, Last->first);
        EXPECT_EQ(Inside->second, Last->second);
        // One byte less cuts the request.
        EXPECT_FALSE(decoded(std::span(Bytes).first(Inside->second - 1)));
        EXPECT_TRUE(decoded(std::span(Bytes).first(Inside->second)));
      }
      Bytes[At] = Before;
    }
  }
}

TEST(RequestCoder, RefusesBulkCopiesWithGaps) {
  Request Copy;
  Copy.Operator = CacheOperator::Bulk;
  Copy.Addresses.fill(0x1000);
  const auto ComesBack = [](const Request &R) {
    CoderState Encoder, Decoder;
    GrowingArray<std::byte> Bytes;
    encode(R, Encoder, Bytes);
    std::span<const std::byte> Rest = Bytes;
    Request Back;
    return decode(Rest, Decoder, 1, Back);
  };
  EXPECT_FALSE(ComesBack(Copy)); // not affine
  makeSideBySide(Copy);
  EXPECT_TRUE(ComesBack(Copy));
  Copy.Mask = 0b0111;
  EXPECT_TRUE(ComesBack(Copy));
  Copy.Mask = 0b1011;
  EXPECT_FALSE(ComesBack(Copy));
  Copy.Mask = 0b1110;
  EXPECT_FALSE(ComesBack(Copy));
  Copy.Mask = AllLanes;
  Copy.Stride = 2 * Copy.Size;
  EXPECT_FALSE(ComesBack(Copy));
  makeSideBySide(Copy);
  Copy.RowLanes = 16;
  Copy.Step = 16 * Copy.Size;
  EXPECT_FALSE(ComesBack(Copy));
}

class TraceFile : public testing::Test {
protected:
  std::string Path = testing::TempDir() + "gmprof-trace-" + std::to_string(::getpid()) + ".gmtrace";

  static constexpr uint64_t ManyObjects = uint64_t(1) << 40;

  void TearDown() override { std::filesystem::remove(Path); }

  /// Writes two launches, the first with everything() on SM 1 and one request on SM 0.
  uint64_t write() {
    auto W = TraceWriter::create(Path, {"sm_90", "NVIDIA H200", 132, 64, 61440});
    EXPECT_TRUE(W);
    (*W)->addKernel({"k\"1\"", true});
    (*W)->allocate({ManyObjects + 7, "a", 0x7f0000000000, 0x10000});
    for (uint32_t I = 0; I < 3; ++I)
      (*W)->addSite({0, "a.cu", 10 + I, "f", {{"f", "a.cu", 30}, {"g", "b.h", 40}}});
    TraceLaunch Launch;
    Launch.Number = 1000000000000;
    Launch.Grid = {2, 3, 4};
    Launch.Block = {32, 8, 1};
    Launch.SharedBytes = 100;
    Launch.BlocksPerSm = 4;
    Launch.LocalBytesPerThread = 16;
    (*W)->beginLaunch(Launch);
    (*W)->add(1, everything());
    Request None;
    None.Mask = 0;
    (*W)->add(0, std::vector{everything()[0], None});
    (*W)->endLaunch({123, 45, 6, 7, 8});
    (*W)->release(ManyObjects + 7);
    (*W)->beginLaunch({});
    (*W)->endLaunch();
    const Result<uint64_t> Written = (*W)->finish();
    EXPECT_TRUE(Written);
    return *Written;
  }
  /// Returns a writer to which launches are added.
  std::unique_ptr<TraceWriter> writerOfOneSite() const {
    Result<std::unique_ptr<TraceWriter>> W = TraceWriter::create(Path, {"sm_90", "", 132, 64, 0});
    if (!W)
      return nullptr;
    (*W)->addKernel({"k", false});
    (*W)->addSite({0, "", 1, "", {}});
    return std::move(*W);
  }
  std::string contents() {
    std::ifstream File(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(File), {}};
  }
  void overwrite(const std::string &Contents) { std::ofstream(Path, std::ios::binary) << Contents; }
  /// Replaces the file by one that contains only these JSON records.
  void overwriteWithNotes(const std::string &Text, uint32_t Version) {
    std::string Packed(ZSTD_compressBound(Text.size()), 0);
    Packed.resize(ZSTD_compress(Packed.data(), Packed.size(), Text.data(), Text.size(), 1));
    TraceFileHead File = {};
    std::copy(std::begin(TraceMagic), std::end(TraceMagic), File.Magic);
    File.Version = Version;
    const TraceRecordHead Head = {TraceRecord::Notes, 0, 0, static_cast<uint32_t>(Text.size()),
                                  static_cast<uint32_t>(Packed.size())};
    overwrite(std::string(reinterpret_cast<const char *>(&File), sizeof(File)) +
              std::string(reinterpret_cast<const char *>(&Head), sizeof(Head)) + Packed);
  }
  /// Reads the whole file and returns the error, or "".
  std::string errorOfAll() {
    auto R = TraceReader::open(Path);
    if (!R)
      return R.error();
    std::vector<Request> Requests;
    while (true) {
      Result<TraceItem> Item = (*R)->next();
      if (!Item)
        return Item.error();
      if (const auto *C = std::get_if<RequestChunk>(&*Item); C && !(*R)->unpack(*C, Requests))
        return (*R)->damaged().Message;
      if (std::holds_alternative<TraceEnd>(*Item))
        return "";
    }
  }
};

TEST_F(TraceFile, EverythingComesBackInOrder) {
  EXPECT_EQ(write(), 211U);
  auto R = TraceReader::open(Path);
  ASSERT_TRUE(R) << R.error();
  EXPECT_EQ((*R)->device().Architecture, "sm_90");
  EXPECT_EQ((*R)->device().Sms, 132U);
  EXPECT_EQ((*R)->device().L2Kb, 61440U);
  std::vector<TraceItem> Items;
  do {
    Result<TraceItem> Item = (*R)->next();
    ASSERT_TRUE(Item) << Item.error();
    Items.push_back(*Item);
  } while (!std::holds_alternative<TraceEnd>(Items.back()));
  ASSERT_EQ(Items.size(), 13U);
  const auto &Kernel = std::get<TraceKernel>(Items[0]);
  EXPECT_EQ(Kernel.Name, "k\"1\"");
  EXPECT_TRUE(Kernel.UsesWarps);
  const auto &Object = std::get<TraceObject>(Items[1]);
  EXPECT_EQ(Object.Id, ManyObjects + 7);
  EXPECT_EQ(Object.Name, "a");
  EXPECT_EQ(Object.Address, 0x7f0000000000U);
  EXPECT_EQ(Object.Bytes, 0x10000U);
  EXPECT_EQ(std::get<TraceSite>(Items[4]).Line, 12U);
  EXPECT_EQ(std::get<TraceSite>(Items[4]).File, "a.cu");
  EXPECT_EQ(std::get<TraceSite>(Items[4]).Function, "f");
  EXPECT_EQ(std::get<TraceSite>(Items[4]).InlinedAt,
            (std::vector<TraceCall>{{"f", "a.cu", 30}, {"g", "b.h", 40}}));
  const auto &Launch = std::get<TraceLaunch>(Items[5]);
  EXPECT_EQ(Launch.Number, 1000000000000U);
  EXPECT_EQ(Launch.blocks(), 24U);
  EXPECT_EQ(Launch.warpsPerBlock(), 8U);
  EXPECT_EQ(Launch.SharedBytes, 100U);
  EXPECT_EQ(Launch.BlocksPerSm, 4U);
  EXPECT_EQ(Launch.LocalBytesPerThread, 16U);
  EXPECT_EQ(std::get<RequestChunk>(Items[6]).Sm, 0U);
  const auto &Chunk = std::get<RequestChunk>(Items[7]);
  EXPECT_EQ(Chunk.Sm, 1U);
  std::vector<Request> Requests;
  ASSERT_TRUE((*R)->unpack(Chunk, Requests));
  const std::vector<Request> All = everything();
  ASSERT_EQ(Requests.size(), All.size());
  for (size_t I = 0; I < All.size(); ++I)
    expectSame(All[I], Requests[I]);
  EXPECT_EQ(std::get<TraceLaunchEnd>(Items[8]).Lost, 123U);
  const auto &End = std::get<TraceLaunchEnd>(Items[8]);
  EXPECT_EQ(End.Late, 45U);
  EXPECT_EQ(End.Blocks, 6U);
  EXPECT_EQ(End.BlocksBeyond, 7U);
  EXPECT_EQ(End.RequestsBeyond, 8U);
  EXPECT_EQ(std::get<TraceRelease>(Items[9]).Id, ManyObjects + 7);
  EXPECT_TRUE(std::holds_alternative<TraceLaunch>(Items[10]));
}

/// Writes a trace with file sizes limited to `Bytes`, and exits, with 1 if the limit was reached.
/// Runs in its own process.
[[noreturn]] void writeWithin(const std::string &Path, rlim_t Bytes) {
  const rlimit Limit = {Bytes, Bytes};
  ::setrlimit(RLIMIT_FSIZE, &Limit);
  auto W = TraceWriter::create(Path, {"sm_90", "", 0, 0, 0});
  const Result<uint64_t> Done = (*W)->finish();
  ::_exit(Done ? 0 : Done.error().ends_with("': File too large") ? 1 : 2);
}

TEST_F(TraceFile, SizeLimitEndsTheFile) {
  EXPECT_EXIT(writeWithin(Path, sizeof(TraceFileHead) + 8), testing::ExitedWithCode(1), "");
  EXPECT_EQ(std::filesystem::file_size(Path), sizeof(TraceFileHead));
  EXPECT_EXIT(writeWithin(Path, 4096), testing::ExitedWithCode(0), "");
}

TEST_F(TraceFile, LongLaunchesAreWrittenInChunks) {
  auto W = TraceWriter::create(Path, {"sm_90", "", 0, 0, 0});
  ASSERT_TRUE(W);
  (*W)->addKernel({"k", false});
  (*W)->addSite({0, "", 0, "", {}});
  (*W)->beginLaunch({});
  Request R;
  R.Affine = true;
  R.Stride = 4;
  for (uint64_t I = 0; I <= TraceWriter::ChunkRequests; ++I) {
    R.Addresses[0] = I * 128;
    (*W)->add(3, {&R, 1});
  }
  (*W)->endLaunch();
  ASSERT_TRUE((*W)->finish());
  auto Reader = TraceReader::open(Path);
  ASSERT_TRUE(Reader);
  std::vector<uint32_t> Counts;
  uint64_t Next = 0;
  std::vector<Request> Requests;
  while (true) {
    Result<TraceItem> Item = (*Reader)->next();
    ASSERT_TRUE(Item);
    if (std::holds_alternative<TraceEnd>(*Item))
      break;
    if (const auto *C = std::get_if<RequestChunk>(&*Item)) {
      Counts.push_back(C->Count);
      ASSERT_TRUE((*Reader)->unpack(*C, Requests));
      for (const Request &Back : Requests)
        EXPECT_EQ(Back.address(0), 128 * Next++);
    }
  }
  EXPECT_EQ(Counts, (std::vector<uint32_t>{TraceWriter::ChunkRequests, 1}));
  EXPECT_LT(std::filesystem::file_size(Path), 2000U); // requests of a loop are similar
}

TEST_F(TraceFile, TruncatedAnywhere) {
  write();
  const std::string All = contents();
  const size_t Device = All.find("\x28\xb5\x2f\xfd", 60); // of the second zstd frame
  for (size_t Size = sizeof(TraceFileHead); Size < All.size(); Size += 31) {
    overwrite(All.substr(0, Size));
    if (Size + sizeof(TraceRecordHead) <= Device) {
      EXPECT_EQ(errorOfAll(), "'" + Path + "' is truncated, and so early that nothing can be read");
      continue;
    }
    EXPECT_EQ(errorOfAll(),
              "'" + Path +
                  "' is truncated: the program that wrote it did not end, or it "
                  "was not copied whole; make it again, or take what there is with --incomplete")
        << Size;
  }
}

/// Counts of records in a file, and whether the file is complete.
struct Part {
  uint64_t Launches = 0, Ends = 0, Requests = 0;
  bool Complete = false;
};

static Part partOf(const std::string &Path) {
  Part P;
  auto R = TraceReader::open(Path, true);
  EXPECT_TRUE(R);
  std::vector<Request> Requests;
  while (R) {
    Result<TraceItem> Item = (*R)->next();
    EXPECT_TRUE(Item);
    if (!Item || std::holds_alternative<TraceEnd>(*Item))
      break;
    P.Launches += std::holds_alternative<TraceLaunch>(*Item);
    P.Ends += std::holds_alternative<TraceLaunchEnd>(*Item);
    if (const auto *C = std::get_if<RequestChunk>(&*Item)) {
      EXPECT_TRUE((*R)->unpack(*C, Requests));
      P.Requests += Requests.size();
    }
  }
  P.Complete = R && (*R)->complete();
  return P;
}

// A killed program leaves the complete records that it had written.
TEST_F(TraceFile, AcceptsIncompleteFilesOnRequest) {
  write();
  const std::string All = contents();
  const Part Whole = partOf(Path);
  EXPECT_TRUE(Whole.Complete);
  EXPECT_EQ(Whole.Requests, 211U);
  EXPECT_EQ(Whole.Launches, 2U);
  std::set<uint64_t> Requests, Launches;
  bool IsTooShort = false;
  for (size_t Size = All.size(); Size-- != 0;) {
    std::filesystem::resize_file(Path, Size);
    if (!TraceReader::open(Path, true)) {
      IsTooShort = true;
      continue;
    }
    EXPECT_FALSE(IsTooShort) << "whatever is longer can be read";
    const Part P = partOf(Path);
    EXPECT_FALSE(P.Complete);
    EXPECT_EQ(P.Launches, P.Ends);
    Requests.insert(P.Requests);
    Launches.insert(P.Launches);
  }
  EXPECT_EQ(Requests, (std::set<uint64_t>{0, 1, 211}));
  EXPECT_EQ(Launches, (std::set<uint64_t>{1, 2}));
  overwrite(All.substr(0, All.size() - 1));
  SimulationOptions Options;
  Options.AcceptsIncomplete = true;
  const Result<SimulationResults> R = simulateTrace(Path, *readArchitecture("sm_90"), Options);
  ASSERT_TRUE(R) << R.error();
  EXPECT_FALSE(R->Complete);
}

// A program that still runs may complete a record of which the file has a part.
TEST_F(TraceFile, Grows) {
  write();
  const std::string All = contents();
  overwrite("");
  std::unique_ptr<TraceReader> Reader;
  uint64_t Requests = 0, Launches = 0, Pauses = 0;
  bool Ended = false;
  for (size_t Size = 1; Size <= All.size(); ++Size) {
    std::ofstream(Path, std::ios::binary | std::ios::app) << All[Size - 1];
    if (!Reader) {
      auto Opened = TraceReader::open(Path, true);
      if (!Opened)
        continue;
      Reader = std::move(*Opened);
      Reader->setGrowing(true);
    }
    for (bool Waits = false; !Waits && !Ended;) {
      const Result<TraceItem> Item = Reader->next();
      ASSERT_TRUE(Item) << Item.error();
      Waits = std::holds_alternative<TracePause>(*Item);
      Pauses += Waits;
      Launches += std::holds_alternative<TraceLaunch>(*Item);
      Ended = std::holds_alternative<TraceEnd>(*Item);
      std::vector<Request> Unpacked;
      if (const auto *C = std::get_if<RequestChunk>(&*Item)) {
        EXPECT_TRUE(Reader->unpack(*C, Unpacked));
        Requests += Unpacked.size();
      }
    }
  }
  EXPECT_TRUE(Ended);
  EXPECT_TRUE(Reader->complete());
  EXPECT_EQ(Requests, 211U);
  EXPECT_EQ(Launches, 2U);
  EXPECT_GT(Pauses, 100U);
}

TEST_F(TraceFile, Foreign) {
  overwrite("hello");
  EXPECT_EQ(errorOfAll(), "'" + Path + "' is no trace of memory accesses");
  overwrite("");
  EXPECT_EQ(errorOfAll(), "'" + Path + "' is no trace of memory accesses");
  write();
  std::string All = contents();
  All[8] = 8;
  overwrite(All);
  EXPECT_EQ(errorOfAll(), "'" + Path +
                              "' is a trace of version 8, and only version 9 can be read: make it "
                              "again, or use the gmreport that came with what made it");
  EXPECT_EQ(TraceReader::open("/nowhere").error(),
            "cannot read '/nowhere': No such file or directory");
}

// A change of any byte gives an error and no crash. The heads of the file's first records are at
// its start.
TEST_F(TraceFile, DamagedAnywhere) {
  write();
  const std::string All = contents();
  const Result<Architecture> Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  for (size_t I = sizeof(TraceFileHead); I < All.size(); I += 1 + I / 40) {
    std::string Other = All;
    Other[I] = static_cast<char>(Other[I] ^ 0x41);
    overwrite(Other);
    EXPECT_NE(errorOfAll(), "") << I;
    EXPECT_FALSE(simulateTrace(Path, *Gpu, {})) << I;
  }
}

TEST_F(TraceFile, ReadsBytesWrittenByCopies) {
  {
    auto W = TraceWriter::create(Path, {"sm_90", "", 0, 0, 0});
    ASSERT_TRUE(W);
    (*W)->written({0x7f0000000010, 48});
    ASSERT_TRUE((*W)->finish());
  }
  auto R = TraceReader::open(Path);
  ASSERT_TRUE(R) << R.error();
  const Result<TraceItem> Item = (*R)->next();
  ASSERT_TRUE(Item) << Item.error();
  EXPECT_EQ(std::get<TraceWritten>(*Item).Address, 0x7f0000000010U);
  EXPECT_EQ(std::get<TraceWritten>(*Item).Bytes, 48U);
}

TEST_F(TraceFile, RefusesContradictoryRecords) {
  const std::string Device =
      R"({"device":{"architecture":"","name":"","sms":0,"warps_per_sm":0,"l2_kb":0}},)";
  const std::string Nothing = "[" + Device + R"({"written":{"address":16,"bytes":0}}])";
  const std::string Everything =
      "[" + Device + R"({"written":{"address":16,"bytes":18446744073709551615}}])";
  for (const char *Notes :
       {"[]", "{}", "[1]", "[{}]", R"([{"end":{"launches":0,"requests":0}}])", R"([{"device":{}}])",
        R"([{"device":1,"kernel":2}])", Nothing.c_str(), Everything.c_str()}) {
    overwriteWithNotes(Notes, TraceVersion);
    EXPECT_NE(errorOfAll(), "") << Notes;
  }
}

TEST_F(TraceFile, CannotBeWritten) {
  EXPECT_EQ(TraceWriter::create("/nowhere/t", {}).error(),
            "cannot write '/nowhere/t': No such file or directory");
  auto W = TraceWriter::create("/dev/full", {});
  ASSERT_TRUE(W);
  EXPECT_EQ((*W)->finish().error(), "cannot write '/dev/full': No space left on device");
}

// Compares the simulated trace with a simulator given the same requests, for several thread counts.
TEST_F(TraceFile, SimulatesItsRequests) {
  write();
  const Result<Architecture> Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  Simulator Direct(*Gpu, {});
  Direct.allocate({7, "a", 0x7f0000000000, 0x10000});
  TraceLaunch Launch;
  Launch.SharedBytes = 100;
  Launch.BlocksPerSm = 4;
  Launch.LocalBytesPerThread = 16;
  Direct.beginLaunch(Launch);
  Direct.add(1, everything());
  Direct.add(0, std::vector{everything()[0]});
  Direct.endLaunch();
  const SimulationResults Expected = Direct.finish();
  for (unsigned Threads : {1U, 3U}) {
    SimulationOptions Options;
    Options.Threads = Threads;
    const Result<SimulationResults> R = simulateTrace(Path, *Gpu, Options);
    ASSERT_TRUE(R) << R.error();
    ASSERT_EQ(R->Cells.size(), Expected.Cells.size());
    for (size_t I = 0; I < Expected.Cells.size(); ++I) {
      EXPECT_EQ(R->Cells[I].Site, Expected.Cells[I].Site);
      EXPECT_EQ(R->Cells[I].Object, Expected.Cells[I].Object);
      EXPECT_EQ(R->Cells[I].Counts, Expected.Cells[I].Counts);
    }
    EXPECT_EQ(R->Launches.size(), 2U);
    EXPECT_EQ(R->Launches[0].SharedKb, 8U);
    EXPECT_EQ(R->DirtySectors, Expected.DirtySectors);
  }
  overwrite(contents().substr(0, 300));
  EXPECT_FALSE(simulateTrace(Path, *Gpu, {}));
}

TEST(TraceSimulation, FewRequestsTakeFewThreads) {
  const auto Threads = [](uint64_t Requests, unsigned Most) {
    return simulatingThreads({Requests, 2 * Requests}, Most);
  };
  EXPECT_EQ(Threads(0, 16), 1u);
  EXPECT_EQ(Threads(uint64_t(1) << 18, 16), 4u);
  EXPECT_EQ(Threads(uint64_t(1) << 20, 2), 2u);
  EXPECT_EQ(Threads(uint64_t(1) << 30, 16), 16u);
  EXPECT_EQ(Threads(uint64_t(1) << 30, 0), 1u);
  EXPECT_EQ(simulatingThreads({uint64_t(1) << 18, uint64_t(1) << 24}, 64), 32u);
}

// A pool that was limited to fewer threads, and one with fewer threads than the options ask for.
TEST_F(TraceFile, SimulationUsesGivenThreads) {
  const auto Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  const std::unique_ptr<TraceWriter> W = writerOfOneSite();
  ASSERT_TRUE(W);
  for (unsigned Launch = 0; Launch < 2; ++Launch) {
    W->beginLaunch({});
    for (uint32_t Sm = 0; Sm < 4; ++Sm) {
      Request R; // to one line, repeatedly
      R.Affine = true;
      R.Stride = 4;
      R.Addresses[0] = uint64_t(0x1000) * Sm;
      W->add(Sm, std::vector<Request>(50000, R));
    }
    W->endLaunch();
  }
  ASSERT_TRUE(W->finish());
  const auto Pool = std::make_shared<gmprof::Workers>(3);
  Pool->allow(1);
  for (const unsigned Threads : {2U, 3U, 8U}) {
    SimulationOptions Options;
    Options.Threads = Threads;
    const auto S = TraceSimulation::open(Path, *Gpu, Options, /*Grows=*/false, Pool);
    ASSERT_TRUE(S);
    const Result<SimulationResults> R = (*S)->all();
    ASSERT_TRUE(R) << R.error();
    ASSERT_EQ(R->Cells.size(), 2U);
    for (const Cell &Each : R->Cells) {
      EXPECT_EQ(Each.Counts.Requests, 200000U);
      EXPECT_EQ(Each.Counts.L1Lookups, 800000U); // sectors
      EXPECT_EQ(Each.Counts.L1Hits, 800000U - 4 * 4);
    }
    EXPECT_EQ(Pool->most(), std::min(Threads, 3U));
  }
}

TEST_F(TraceFile, SimulationFollowsAGrowingFile) {
  using Place = TraceSimulation::Place;
  const auto Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  const std::unique_ptr<TraceWriter> W = writerOfOneSite();
  ASSERT_TRUE(W);
  test::addLaunch(*W, 10000); // more than a chunk
  SimulationOptions Options;
  Options.AcceptsIncomplete = true;
  const auto S = TraceSimulation::open(Path, *Gpu, Options, /*Grows=*/true);
  ASSERT_TRUE(S);
  const auto Advance = [&] {
    const Result<Place> At = (*S)->advance();
    EXPECT_TRUE(At) << At.error();
    return At ? *At : Place::End;
  };
  EXPECT_EQ(Advance(), Place::LaunchEnd);
  EXPECT_EQ(Advance(), Place::Pause);
  EXPECT_EQ(Advance(), Place::Pause);
  test::addLaunch(*W, 5);
  test::addLaunch(*W, 7);
  EXPECT_EQ(Advance(), Place::LaunchEnd);
  EXPECT_EQ(Advance(), Place::LaunchEnd);
  EXPECT_EQ(Advance(), Place::Pause);
  ASSERT_TRUE(W->finish());
  EXPECT_EQ(Advance(), Place::End);
  EXPECT_EQ(Advance(), Place::End);
  const SimulationResults Grown = (*S)->finish();
  EXPECT_TRUE(Grown.Complete);
  const Result<SimulationResults> Whole = simulateTrace(Path, *Gpu, Options);
  ASSERT_TRUE(Whole);
  ASSERT_EQ(Grown.Cells.size(), 3U);
  ASSERT_EQ(Whole->Cells.size(), 3U);
  const std::array<uint64_t, 3> Requests = {10000, 5, 7};
  for (size_t I = 0; I < 3; ++I) {
    EXPECT_EQ(Grown.Cells[I].Counts.Requests, Requests[I]);
    EXPECT_EQ(Grown.Cells[I].Counts, Whole->Cells[I].Counts);
  }
}

// An H100 has 80 of an H200's 96 slices.
TEST_F(TraceFile, TheGpuItWasMadeOn) {
  const Result<Architecture> H100 = architectureOf({"sm_90", "NVIDIA H100", 114, 64, 51200});
  ASSERT_TRUE(H100);
  EXPECT_EQ(H100->Sms, 114U);
  EXPECT_EQ(H100->L2.Kb, 51200U);
  EXPECT_EQ(H100->L2.Slices, 40U);
  EXPECT_FALSE(architectureOf({"sm_35", "", 0, 0, 0}));
}

} // namespace
