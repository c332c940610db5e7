//===- FatBinary.h - PTX in fat binaries ------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc, clang and NVRTC pack the code of a module for several architectures into a fat binary. CUDA
// does not document the format; this is what fatbinary of CUDA 11 to 13 writes:
//
//   wrapper    u32 magic 0x466243b1, u32 version, pointer to the fat binary; a constant in the
//              section .nvFatBinSegment, which is what the runtime is given
//   header     u32 magic 0xba55ed50, u16 version, u16 bytes of the header, u64 bytes behind it
//   entries    a header, then the content, until the end of the fat binary:
//     0  u16 kind (1: PTX, 2: cubin), u16 version, u32 bytes of the entry's header
//     8  u64 bytes of the content, padding included
//     16 u32 bytes of the compressed content
//     24 u16 minor and u16 major version of the format of the content, for PTX its version
//     28 u32 architecture: 90 for sm_90
//     40 u64 flags: 0x2000 compressed with LZ4, 0x8000 with zstd
//     56 u64 bytes of the content before compression
//
// A file or a section may hold several fat binaries, one behind the other.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_FATBINARY_H
#define GMPROF_HOST_INSTRUMENT_FATBINARY_H

#include "profile/Result.h"
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gmprof {

/// The forms of a module image that a program passes to CUDA.
enum class ImageKind {
  Wrapper, ///< of a fat binary
  FatBinary,
  Elf,  ///< a cubin, or an executable
  Text, ///< PTX, up to its null character
};

/// Returns the kind of an image, which has at least 4 readable bytes.
ImageKind imageKind(const void *Image);

/// Returns the fat binary that a wrapper points to, or that Image is; its size is what its header
/// says. Nothing for other images. Image is trusted, as CUDA trusts it: what it points to is read.
std::optional<std::string_view> fatBinaryOf(const void *Image);

struct FatBinaryEntry {
  enum class Kind : uint8_t { Ptx, Elf, Other };
  enum class Compression : uint8_t { None, Lz4, Zstd };
  Kind Is = Kind::Other;
  Compression Compressed = Compression::None;
  unsigned Architecture = 0; ///< 90 for sm_90
  std::string_view Content;  ///< as it is stored
  uint64_t Bytes = 0;        ///< before compression
};

/// Returns the entries of the fat binaries in Bytes: one, or several with padding and records of
/// bitcode (BitcodeRecords.h) between them. An
/// error says where Bytes is malformed; nothing outside is read.
Result<std::vector<FatBinaryEntry>> fatBinaryEntries(std::string_view Bytes);

/// Returns the decompressed content; PTX without null characters at its end.
Result<std::string> contentOf(const FatBinaryEntry &Entry);

/// Returns the PTX that the driver would compile for a device: that of the highest architecture up
/// to the device's. Nothing if there is none.
std::optional<FatBinaryEntry> choosePtx(const std::vector<FatBinaryEntry> &Entries,
                                        unsigned Architecture);

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_FATBINARY_H
