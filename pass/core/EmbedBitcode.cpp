//===- EmbedBitcode.cpp - Device bitcode for the CPU device ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/EmbedBitcode.h"

#include "pass/core/Architecture.h"

#include "gmprof/abi.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
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

static unsigned architectureOfFile(StringRef File, LLVMContext &Context) {
  auto Buffer = MemoryBuffer::getFile(File);
  if (!Buffer)
    return 0;
  Expected<std::unique_ptr<Module>> M = parseBitcodeFile(**Buffer, Context);
  if (!M) {
    consumeError(M.takeError()); // an empty file, made to reserve the name
    return 0;
  }
  return architecture(**M);
}

Error gmprof::writeDeviceBitcode(Module &M, StringRef File) {
  LLVMContext Own;
  if (architectureOfFile(File, Own) > architecture(M))
    return Error::success();
  // Writes to a temporary file and renames it, so that no reader sees a partial file.
  Error E = writeToOutput(File, [&](raw_ostream &Out) {
    WriteBitcodeToFile(M, Out);
    return Error::success();
  });
  return E ? failure(File, toString(std::move(E))) : Error::success();
}

static std::string recordOf(StringRef Bitcode) {
  std::string Record(16, '\0');
  support::endian::write64le(Record.data(), GMPROF_BITCODE_MAGIC);
  support::endian::write64le(Record.data() + 8, Bitcode.size());
  Record += Bitcode;
  Record.resize(alignTo(Record.size(), 8));
  return Record;
}

/// The fat binary that clang embeds, unless the linker makes it.
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
  StringRef Bitcode = (*Buffer)->getBuffer();
  if (Bitcode.empty())
    return Error::success(); // reserved, but not compiled for the device
  std::string Bytes;
  GlobalVariable *Old = fatBinary(M);
  if (Old) {
    Bytes = cast<ConstantDataSequential>(Old->getInitializer())->getRawDataValues();
    Bytes.resize(alignTo(endOfFatBinary(Bytes), 8));
  }
  Bytes += recordOf(Bitcode);
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
