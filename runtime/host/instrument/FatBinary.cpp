//===- FatBinary.cpp - PTX in fat binaries --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/FatBinary.h"
#include "host/instrument/BitcodeRecords.h"
#include <cstring>
#include <zstd.h>

namespace gmprof {
namespace {

constexpr uint32_t WrapperMagic = 0x466243b1, FatBinaryMagic = 0xba55ed50, ElfMagic = 0x464c457f;
constexpr size_t WrapperPointerAt = 8;
constexpr size_t HeaderBytes = 16, EntryHeaderBytes = 64;
constexpr uint64_t Lz4Flag = 0x2000, ZstdFlag = 0x8000;
/// More than any module.
constexpr uint64_t MaxContentBytes = uint64_t(512) << 20;

/// Returns the number at an offset, which Bytes has.
template <typename Number> Number numberAt(std::string_view Bytes, size_t At) {
  Number N;
  std::memcpy(&N, Bytes.data() + At, sizeof(N));
  return N;
}

Error malformed(std::string_view All, std::string_view At, const char *What) {
  return Error{"the fat binary is malformed at byte " + std::to_string(At.data() - All.data()) +
               ": " + What};
}

/// Decodes the header of an entry that Bytes begins with.
FatBinaryEntry entryAt(std::string_view Bytes) {
  FatBinaryEntry E;
  const auto Kind = numberAt<uint16_t>(Bytes, 0);
  E.Is = Kind == 1   ? FatBinaryEntry::Kind::Ptx
         : Kind == 2 ? FatBinaryEntry::Kind::Elf
                     : FatBinaryEntry::Kind::Other;
  E.Architecture = numberAt<uint32_t>(Bytes, 28);
  const auto Flags = numberAt<uint64_t>(Bytes, 40);
  if (Flags & Lz4Flag)
    E.Compressed = FatBinaryEntry::Compression::Lz4;
  else if (Flags & ZstdFlag)
    E.Compressed = FatBinaryEntry::Compression::Zstd;
  return E;
}

/// Decompresses a block of LZ4 (its block format, without frame). Returns false if the block is
/// malformed or has another size.
bool decompressLz4(std::string_view From, std::string &To, uint64_t Bytes) {
  size_t At = 0;
  // A length of 15 continues in further bytes, up to the first that is not 255.
  const auto Length = [&](size_t First) -> std::optional<size_t> {
    size_t Sum = First;
    if (First == 15)
      for (uint8_t Next = 255; Next == 255; Sum += Next) {
        if (At == From.size())
          return std::nullopt;
        Next = static_cast<uint8_t>(From[At++]);
      }
    return Sum;
  };
  To.clear();
  To.reserve(Bytes);
  while (At < From.size()) {
    const auto Token = static_cast<uint8_t>(From[At++]);
    const std::optional<size_t> Literals = Length(Token >> 4);
    if (!Literals || *Literals > From.size() - At || *Literals > Bytes - To.size())
      return false;
    To.append(From.substr(At, *Literals));
    At += *Literals;
    if (At == From.size())
      break; // the last sequence has no match
    if (From.size() - At < 2)
      return false;
    const size_t Offset = numberAt<uint16_t>(From, At);
    At += 2;
    const std::optional<size_t> Matched = Length(Token & 15);
    constexpr size_t MinMatch = 4;
    if (!Matched || Offset == 0 || Offset > To.size() || *Matched + MinMatch > Bytes - To.size())
      return false;
    // Copies byte by byte: the source may overlap the end of the output.
    for (size_t Left = *Matched + MinMatch; Left; --Left)
      To.push_back(To[To.size() - Offset]);
  }
  return To.size() == Bytes;
}

bool decompressZstd(std::string_view From, std::string &To, uint64_t Bytes) {
  To.resize(Bytes);
  return ZSTD_decompress(To.data(), To.size(), From.data(), From.size()) == Bytes;
}

} // namespace

ImageKind imageKind(const void *Image) {
  switch (numberAt<uint32_t>({static_cast<const char *>(Image), sizeof(uint32_t)}, 0)) {
  case WrapperMagic:
    return ImageKind::Wrapper;
  case FatBinaryMagic:
    return ImageKind::FatBinary;
  case ElfMagic:
    return ImageKind::Elf;
  default:
    return ImageKind::Text;
  }
}

std::optional<std::string_view> fatBinaryOf(const void *Image) {
  if (!Image)
    return std::nullopt;
  if (imageKind(Image) == ImageKind::Wrapper) {
    std::memcpy(&Image, static_cast<const char *>(Image) + WrapperPointerAt, sizeof(Image));
    if (!Image)
      return std::nullopt;
  }
  if (imageKind(Image) != ImageKind::FatBinary)
    return std::nullopt;
  const std::string_view Header(static_cast<const char *>(Image), HeaderBytes);
  return std::string_view(static_cast<const char *>(Image),
                          numberAt<uint16_t>(Header, 6) + numberAt<uint64_t>(Header, 8));
}

Result<std::vector<FatBinaryEntry>> fatBinaryEntries(std::string_view Bytes) {
  std::vector<FatBinaryEntry> Entries;
  std::string_view Left = Bytes;
  for (;;) {
    if (const size_t Padding = Left.find_first_not_of('\0'); Padding == std::string_view::npos)
      return Entries;
    else
      Left.remove_prefix(Padding);
    if (takeRecord(Left))
      continue;
    if (Left.size() < HeaderBytes || numberAt<uint32_t>(Left, 0) != FatBinaryMagic)
      return malformed(Bytes, Left, "no header");
    const size_t Header = numberAt<uint16_t>(Left, 6);
    const auto Size = numberAt<uint64_t>(Left, 8);
    if (Header < HeaderBytes || Header > Left.size() || Size > Left.size() - Header)
      return malformed(Bytes, Left, "its size exceeds the image");
    std::string_view Inner = Left.substr(Header, Size);
    Left.remove_prefix(Header + Size);
    while (!Inner.empty()) {
      if (Inner.size() < EntryHeaderBytes)
        return malformed(Bytes, Inner, "half a header of an entry");
      const size_t EntryHeader = numberAt<uint32_t>(Inner, 4);
      const auto Padded = numberAt<uint64_t>(Inner, 8);
      if (EntryHeader < EntryHeaderBytes || EntryHeader > Inner.size() ||
          Padded > Inner.size() - EntryHeader)
        return malformed(Bytes, Inner, "the entry exceeds the fat binary");
      FatBinaryEntry E = entryAt(Inner);
      E.Content = Inner.substr(EntryHeader, Padded);
      E.Bytes = Padded;
      if (E.Compressed != FatBinaryEntry::Compression::None) {
        const auto Stored = numberAt<uint32_t>(Inner, 16);
        if (Stored > Padded)
          return malformed(Bytes, Inner, "the compressed content exceeds the entry");
        E.Content = E.Content.substr(0, Stored);
        E.Bytes = numberAt<uint64_t>(Inner, 56);
      }
      Entries.push_back(E);
      Inner.remove_prefix(EntryHeader + Padded);
    }
  }
}

Result<std::string> contentOf(const FatBinaryEntry &Entry) {
  if (Entry.Bytes > MaxContentBytes)
    return Error{"an entry of the fat binary exceeds " + std::to_string(MaxContentBytes >> 20) +
                 " MiB"};
  std::string Content;
  bool Valid = true;
  switch (Entry.Compressed) {
  case FatBinaryEntry::Compression::None:
    Content = Entry.Content;
    break;
  case FatBinaryEntry::Compression::Lz4:
    // A byte of LZ4 stands for 255 at most.
    Valid = Entry.Bytes / 255 <= Entry.Content.size() &&
            decompressLz4(Entry.Content, Content, Entry.Bytes);
    break;
  case FatBinaryEntry::Compression::Zstd:
    Valid = decompressZstd(Entry.Content, Content, Entry.Bytes);
    break;
  }
  if (!Valid)
    return Error{"an entry of the fat binary cannot be decompressed"};
  if (Entry.Is == FatBinaryEntry::Kind::Ptx)
    Content.resize(Content.find_last_not_of('\0') + 1);
  return Content;
}

std::optional<FatBinaryEntry> choosePtx(const std::vector<FatBinaryEntry> &Entries,
                                        unsigned Architecture) {
  std::optional<FatBinaryEntry> Best;
  for (const FatBinaryEntry &E : Entries)
    if (E.Is == FatBinaryEntry::Kind::Ptx && E.Architecture <= Architecture &&
        (!Best || E.Architecture > Best->Architecture))
      Best = E;
  return Best;
}

} // namespace gmprof
