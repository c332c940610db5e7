//===- HostTest.cpp - A program that launches kernels on the fake device --===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gmprof::host {

const char StubA = 0, StubB = 0;
const cudaStream_t Stream1 = reinterpret_cast<cudaStream_t>(0x100);
const cudaStream_t Stream2 = reinterpret_cast<cudaStream_t>(0x200);

DescriptorImage::DescriptorImage(const std::string &Name, unsigned ParamCount) {
  Strings = std::string(1, '\0') + Name + '\0' + "tile" + '\0';
  Header.magic = GMPROF_DESC_MAGIC;
  Header.abiVersion = GMPROF_ABI_VERSION;
  Header.paramCount = ParamCount;
  Header.name = 1;
  Header.modes = GMPROF_MODE_SHARED;
  Header.sharedLevel = GMPROF_LEVEL_SA_NA_SM_TH;
  Header.counterBits = 8;
  Header.threshold = 255;
  Header.varsOffset = sizeof(Header);
  Header.varCount = 1;
  Header.sitesOffset = Header.staticsOffset = Header.stringsOffset =
      sizeof(Header) + sizeof(Variable);
  Header.stringsBytes = static_cast<unsigned>(Strings.size());
  Header.bytes = Header.stringsOffset + Header.stringsBytes;
  Variable.name = static_cast<unsigned>(Name.size() + 2);
  Variable.kind = GMPROF_VARIABLE_SHARED;
  Variable.elementBytes = 4;
  Variable.bytes = 64;
}

std::vector<char> DescriptorImage::bytes() const {
  std::vector<char> Bytes(sizeof(Header) + sizeof(Variable));
  std::memcpy(Bytes.data(), &Header, sizeof(Header));
  std::memcpy(Bytes.data() + sizeof(Header), &Variable, sizeof(Variable));
  Bytes.insert(Bytes.end(), Strings.begin(), Strings.end());
  return Bytes;
}

void HostTest::SetUp() {
  fake::reset();
  Session::forget();
  settings() = Settings();
  settings().Enabled = true;
  settings().TheOptions.Profiles = ProfileChoice::Shared;
  settings().TheOptions.Output = Folder + "/out";
  settings().TheOptions.LogOnly = true;
}

void HostTest::TearDown() {
  Session::finishCurrent({});
  Session::forget();
}

static void add(const fake::Launch &L) {
  *L.arg<int *>(0) += L.arg<int>(1) * static_cast<int>(L.Grid.x * L.Grid.y * L.Grid.z);
}

static void addAndCount(const fake::Launch &L) {
  add(L);
  auto P = L.arg<GmprofSharedLaunch>(2);
  auto *Sums = reinterpret_cast<gmprof_u64 *>(P.sums);
  auto *Capped = reinterpret_cast<gmprof_u32 *>(P.capped);
  auto *Layout = reinterpret_cast<GmprofSharedLayout *>(P.layout);
  Layout->firstAddress = Layout->variables[0] = 1024;
  for (unsigned Block = 0; Block < L.Grid.x; Block += P.blockSample) {
    unsigned Replica = Block & (P.replicas - 1);
    Sums[size_t(Replica) * P.words] += L.arg<int>(1);
    Sums[size_t(Replica) * P.words + 3] += 1;
    Capped[size_t(Replica) * P.words + 3] += 1;
    auto &Totals = reinterpret_cast<GmprofBlockTotals *>(P.totals)[Replica];
    Totals.blocks += 1;
    Totals.threads += L.Block.x * L.Block.y * L.Block.z;
  }
}

fake::Function &HostTest::addKernel(const void *Stub, const std::string &Name, unsigned Modes,
                                    unsigned StaticShared) {
  fake::Function Original;
  Original.Name = Name;
  Original.Params = {sizeof(int *), sizeof(int)};
  Original.Body = add;
  Original.Attributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = static_cast<int>(StaticShared);
  fake::Function Clone = Original;
  Clone.Params.push_back(sizeof(GmprofSharedLaunch));
  Clone.Body = addAndCount;
  for (auto [Mode, Suffix] : {std::pair(GMPROF_MODE_SHARED, GMPROF_SHARED_CLONE_SUFFIX),
                              std::pair(GMPROF_MODE_SHARED_ALL, GMPROF_SHARED_ALL_CLONE_SUFFIX),
                              std::pair(GMPROF_MODE_SHARED_DM, GMPROF_SHARED_DM_CLONE_SUFFIX)}) {
    Clone.Name = Name + Suffix;
    if (Modes & Mode)
      TheModule.add(Clone);
  }
  DescriptorImage D(Name);
  D.Header.modes = Modes;
  setDescriptor(Name, D);
  fake::Function &Added = TheModule.add(Original);
  fake::registerKernel(Stub, Added);
  return Added;
}

void HostTest::setDescriptor(const std::string &Kernel, const DescriptorImage &D) {
  TheModule.Globals[GMPROF_KERNEL_DESC_PREFIX + Kernel] = D.bytes();
}

fake::Function &HostTest::function(const std::string &Name) {
  for (auto &F : TheModule.Functions)
    if (F->Name == Name)
      return *F;
  ADD_FAILURE() << "no function " << Name;
  std::abort();
}

cudaError_t HostTest::launch(const void *Stub, int Value, cudaStream_t Stream, dim3 Grid,
                             dim3 Block, size_t Shared) {
  int *To = &Out;
  void *Args[] = {&To, &Value};
  return cudaLaunchKernel(Stub, Grid, Block, Args, Shared, Stream);
}

profile::Profile HostTest::finish() {
  std::string Path;
  if (Session *S = Session::current())
    Path = S->log().path();
  Session::finishCurrent(0);
  return read(Path);
}

profile::Profile HostTest::read(const std::string &Path) {
  profile::Profile P;
  Result<EventLogReader> Log = EventLogReader::open(Path);
  if (!Log) {
    ADD_FAILURE() << Log.error();
    return P;
  }
  Result<profile::Profile> Built = buildProfile(*Log, Path);
  if (!Built)
    ADD_FAILURE() << Built.error();
  else
    P = *Built;
  return P;
}

} // namespace gmprof::host
