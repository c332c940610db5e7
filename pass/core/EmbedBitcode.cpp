//===- EmbedBitcode.cpp - Device bitcode for the CPU device ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/EmbedBitcode.h"

#include "pass/core/Architecture.h"

#include "gmprof/abi.h"
#include "host/instrument/BitcodeRecords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gmprof;

static Error failure(StringRef File, const Twine &What) {
  return createStringError(inconvertibleErrorCode(), "GMProf: -gm-bitcode=" + File + ": " + What);
}

/// Returns the records of a file; none if it has none, as an empty file that reserves the name.
static std::vector<BitcodeRecord> recordsOf(const ErrorOr<std::unique_ptr<MemoryBuffer>> &File) {
  return File ? bitcodeRecords(std::string_view((*File)->getBuffer()))
              : std::vector<BitcodeRecord>();
}

Error gmprof::writeDeviceBitcode(Module &M, StringRef File) {
  std::string Bytes;
  const auto Old = MemoryBuffer::getFile(File);
  for (const BitcodeRecord &R : recordsOf(Old))
    if (R.Architecture != architecture(M))
      Bytes += encode(R);
  SmallString<0> Bitcode;
  raw_svector_ostream Stream(Bitcode);
  WriteBitcodeToFile(M, Stream);
  Bytes += encode(BitcodeRecord{architecture(M), std::string_view(Bitcode.str())});
  // Writes to a temporary file and renames it, so that no reader sees a partial file.
  Error E = writeToOutput(File, [&](raw_ostream &Out) {
    Out << Bytes;
    return Error::success();
  });
  return E ? failure(File, toString(std::move(E))) : Error::success();
}

/// Returns a record whose content is compressed, if LLVM was built with zstd.
static std::string compressed(const BitcodeRecord &R) {
  if (!compression::zstd::isAvailable())
    return encode(R);
  SmallVector<uint8_t, 0> Frame;
  compression::zstd::compress(arrayRefFromStringRef(StringRef(R.Content)), Frame);
  return encode(BitcodeRecord{R.Architecture, std::string_view(toStringRef(Frame))});
}

/// Returns the fat binary that clang embeds, unless the linker makes it.
static GlobalVariable *fatBinary(Module &M) {
  for (GlobalVariable &G : M.globals())
    if (G.hasInitializer() && G.getSection() == ".nv_fatbin" &&
        isa<ConstantDataSequential>(G.getInitializer()))
      return &G;
  return nullptr;
}

/// Returns the end of a fat binary. Its header is 16 bytes: magic, version, size of the header (16
/// bits), and size of the rest.
static uint64_t endOfFatBinary(StringRef Bytes) {
  if (Bytes.size() < 16 || support::endian::read32le(Bytes.data()) != 0xba55ed50)
    return Bytes.size();
  uint64_t Header = support::endian::read16le(Bytes.data() + 6);
  uint64_t End = Header + support::endian::read64le(Bytes.data() + 8);
  return std::min<uint64_t>(End, Bytes.size());
}

Error gmprof::embedDeviceBitcode(Module &M, StringRef File) {
  auto Buffer = MemoryBuffer::getFile(File);
  if (!Buffer)
    return failure(File, "cannot read the device bitcode: " + Buffer.getError().message());
  const std::vector<BitcodeRecord> Records = recordsOf(Buffer);
  if (Records.empty())
    return Error::success(); // reserved, but not compiled for the device
  std::string Bytes;
  GlobalVariable *Old = fatBinary(M);
  if (Old) {
    Bytes = cast<ConstantDataSequential>(Old->getInitializer())->getRawDataValues();
    Bytes.resize(alignTo(endOfFatBinary(Bytes), 8));
  }
  for (const BitcodeRecord &R : Records)
    Bytes += compressed(R);
  auto *New =
      new GlobalVariable(M, ArrayType::get(Type::getInt8Ty(M.getContext()), Bytes.size()), true,
                         GlobalValue::PrivateLinkage,
                         ConstantDataArray::getString(M.getContext(), Bytes, /*AddNull=*/false));
  New->setAlignment(Align(8));
  if (Old) {
    New->setSection(Old->getSection());
    New->setAlignment(std::max(Old->getAlign().valueOrOne(), Align(8)));
    New->takeName(Old);
    Old->replaceAllUsesWith(New);
    Old->eraseFromParent();
  } else {
    New->setSection(GMPROF_BITCODE_SECTION);
    appendToUsed(M, {New}); // nothing refers to it: keep it through --gc-sections too
  }
  return Error::success();
}
