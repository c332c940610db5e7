//===- Architecture.cpp - Cache parameters of a GPU -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Architecture.h"
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <link.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace gmprof::cache {

using Json = nlohmann::json;

static constexpr const char *Schema = "gmprof.cache-architecture/1";
static constexpr uint32_t MostL1Ways = 1U << 15, MostL2Ways = 32;

uint32_t Architecture::sharedKbFor(uint64_t BytesPerBlock, uint32_t Blocks,
                                   uint64_t WarpsPerBlock) const {
  const uint64_t Each = BytesPerBlock + SharedReservedPerBlock;
  if (Each == 0)
    return SharedKb.front();
  uint64_t Resident = Blocks;
  if (Blocks == 0)
    Resident = std::min<uint64_t>({BlocksPerSm, WarpsPerSm / std::max<uint64_t>(WarpsPerBlock, 1),
                                   SharedKb.back() * uint64_t(1024) / Each});
  for (uint32_t Kb : SharedKb)
    if (Each * std::max<uint64_t>(Resident, 1) <= uint64_t(Kb) * 1024)
      return Kb;
  return SharedKb.back();
}

std::string Architecture::impossible() const {
  if (Sms == 0 || WarpsPerSm == 0 || BlocksPerSm == 0)
    return "a GPU has at least one SM, and an SM one block and one warp";
  if (Sms > 65536 || WarpsPerSm > 65536 || UnifiedKb > 4096 || L2.Kb > (1U << 24))
    return "no GPU is that large";
  if (SharedKb.empty() || !std::is_sorted(SharedKb.begin(), SharedKb.end()))
    return "shared_kb must list at least one size, in ascending order";
  if (uint64_t(SharedKb.back()) + L1.ReservedKb >= UnifiedKb)
    return std::to_string(SharedKb.back()) + " KB of shared memory and " +
           std::to_string(L1.ReservedKb) + " KB reserved leave nothing of " +
           std::to_string(UnifiedKb) + " KB for L1";
  if (L1.Sets == 0)
    return "an L1 cache has at least one set";
  for (uint32_t Kb : SharedKb)
    if (l1Lines(Kb) % L1.Sets != 0 || l1Lines(Kb) / L1.Sets > MostL1Ways)
      return "beside " + std::to_string(Kb) + " KB of shared memory L1 has " +
             std::to_string(l1Lines(Kb)) + " lines, which are no " + std::to_string(L1.Sets) +
             " sets of up to " + std::to_string(MostL1Ways) + " ways";
  if (L2.LineBytes != 64 && L2.LineBytes != 128)
    return "lines of L2 have 64 or 128 bytes, not " + std::to_string(L2.LineBytes);
  if (L2.FetchBytes != 32 && L2.FetchBytes != 64 && (L2.FetchBytes != 128 || L2.LineBytes != 128))
    return "L2 cannot fetch " + std::to_string(L2.FetchBytes) + " bytes of a line of " +
           std::to_string(L2.LineBytes);
  if (L2.Ways == 0 || L2.Ways > MostL2Ways)
    return "L2 has 1 to " + std::to_string(MostL2Ways) + " ways, not " + std::to_string(L2.Ways);
  if (L2.Partitions == 0 || L2.Partitions > 2 || L2.Slices == 0)
    return "L2 has one or two partitions, and at least one slice";
  if (L2.Replicates && L2.Partitions == 1)
    return "an L2 of one partition cannot replicate what another one holds";
  if (L2.TpcPartitions.empty()
          ? L2.Partitions > 1
          : *std::max_element(L2.TpcPartitions.begin(), L2.TpcPartitions.end()) >= L2.Partitions)
    return "tpc_partitions must say of pairs of SMs which partition of L2 they are in";
  const uint64_t SetBytes = uint64_t(L2.LineBytes) * L2.Ways * L2.Slices * L2.Partitions;
  if (L2.Kb == 0 || uint64_t(L2.Kb) * 1024 % SetBytes != 0)
    return std::to_string(L2.Kb) +
           " KB of L2 are no whole number of sets: " + std::to_string(L2.Partitions) + " x " +
           std::to_string(L2.Slices) + " slices of " + std::to_string(L2.Ways) + " ways of " +
           std::to_string(L2.LineBytes) + " bytes";
  return "";
}

namespace {

/// Reads the members of an object and rejects unknown ones.
class Members {
public:
  Members(const Json &Of, std::string Where) : Of(Of), Where(std::move(Where)) {
    if (!Of.is_object())
      throw std::runtime_error(this->Where + " is no object");
  }
  template <typename T> void take(const char *Name, T &To) {
    const Json &Value = child(Name);
    if constexpr (std::is_same_v<T, bool>) {
      check(Value.is_boolean(), Name, "true or false");
      To = Value.get<bool>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      check(Value.is_string(), Name, "a text");
      To = Value.get<std::string>();
    } else if constexpr (std::is_same_v<T, std::vector<uint32_t>>) {
      check(Value.is_array(), Name, "a list");
      for (const Json &Element : Value) {
        check(fits(Element), Name, "a list of whole numbers");
        To.push_back(Element.get<uint32_t>());
      }
    } else {
      check(fits(Value), Name, "a whole number");
      To = Value.get<uint32_t>();
    }
  }
  template <typename Enum, size_t N>
  void takeName(const char *Name, Enum &To, const char *const (&Names)[N]) {
    std::string Text, All;
    take(Name, Text);
    for (size_t I = 0; I < N; ++I) {
      if (Text == Names[I]) {
        To = static_cast<Enum>(I);
        return;
      }
      All += std::string(I ? ", " : "") + Names[I];
    }
    throw std::runtime_error(Where + ": '" + Name + "' is '" + Text + "', not one of " + All);
  }
  const Json &child(const char *Name) {
    Known.insert(Name);
    if (!Of.contains(Name))
      throw std::runtime_error(Where + " lacks '" + Name + "'");
    return Of[Name];
  }
  /// Rejects unknown members: a misspelt name would otherwise keep its default.
  void finish() const {
    for (const auto &[Name, Value] : Of.items())
      if (!Known.contains(Name))
        throw std::runtime_error(Where + " has an unknown member '" + Name + "'");
  }

private:
  static bool fits(const Json &Value) {
    return Value.is_number_unsigned() && Value.get<uint64_t>() <= UINT32_MAX;
  }
  void check(bool Is, const char *Name, const char *What) const {
    if (!Is)
      throw std::runtime_error(Where + ": '" + Name + "' is not " + What);
  }

  const Json &Of;
  std::string Where;
  std::set<std::string> Known;
};

} // namespace

static L1Model l1Of(const Json &From) {
  L1Model To;
  Members M(From, "l1");
  M.take("reserved_kb", To.ReservedKb);
  M.take("sets", To.Sets);
  M.takeName("replacement", To.Policy, ReplacementNames);
  M.take("fills_free_first", To.FillsFreeFirst);
  M.takeName("hash", To.Hash, SetHashNames);
  M.takeName("stores", To.Stores, L1StoreNames);
  M.take("counts_store_hits", To.CountsStoreHits);
  M.take("atomics_invalidate", To.AtomicsInvalidate);
  M.take("local_write_back", To.LocalWriteBack);
  M.take("pass_bytes", To.PassBytes);
  M.finish();
  return To;
}

static L2Model l2Of(const Json &From) {
  L2Model To;
  Members M(From, "l2");
  M.take("kb", To.Kb);
  M.take("line_bytes", To.LineBytes);
  M.take("ways", To.Ways);
  M.take("slices", To.Slices);
  M.take("partitions", To.Partitions);
  M.take("replicates", To.Replicates);
  M.take("tpc_partitions", To.TpcPartitions);
  M.take("coalesced_requests", To.CoalescedRequests);
  M.takeName("replacement", To.Policy, ReplacementNames);
  M.take("fills_free_first", To.FillsFreeFirst);
  M.takeName("hash", To.Hash, SetHashNames);
  M.take("fetch_bytes", To.FetchBytes);
  M.take("fills_partial_writes", To.FillsPartialWrites);
  M.take("counts_write_allocates", To.CountsWriteAllocates);
  M.take("counts_missing_sectors", To.CountsMissingSectors);
  M.finish();
  return To;
}

Result<Architecture> parseArchitecture(const std::string &Text, const std::string &Name) {
  const Json Root = Json::parse(Text, nullptr, false);
  try {
    if (Root.is_discarded())
      throw std::runtime_error("it is no JSON");
    Architecture To;
    std::string Version;
    Members M(Root, "it");
    M.take("schema", Version);
    if (Version != Schema)
      throw std::runtime_error("its schema is '" + Version + "', and known is '" + Schema + "'");
    M.take("name", To.Name);
    M.take("device", To.Device);
    M.take("sms", To.Sms);
    M.take("warps_per_sm", To.WarpsPerSm);
    M.take("blocks_per_sm", To.BlocksPerSm);
    M.take("unified_kb", To.UnifiedKb);
    M.take("shared_kb", To.SharedKb);
    M.take("shared_reserved_per_block", To.SharedReservedPerBlock);
    To.L1 = l1Of(M.child("l1"));
    To.L2 = l2Of(M.child("l2"));
    M.child("sources");
    M.finish();
    if (const std::string Why = To.impossible(); !Why.empty())
      throw std::runtime_error(Why);
    return To;
  } catch (const std::exception &E) {
    return Error{"'" + Name + "' describes no architecture: " + E.what()};
  }
}

/// Returns the folder of architecture files beside the program or library that contains this code;
/// empty if there is none.
static std::string architectureFolder() {
  Dl_info Info = {};
  link_map *Map = nullptr;
  char Resolved[PATH_MAX];
  // The executable has an empty name in the link map.
  if (!dladdr1(reinterpret_cast<const void *>(&architectureNames), &Info,
               reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP) ||
      !realpath(*Map->l_name ? Map->l_name : "/proc/self/exe", Resolved))
    return "";
  // Searches upwards from bin/ or lib/, or from a folder of the build.
  for (std::filesystem::path Folder = std::filesystem::path(Resolved).parent_path();
       Folder.has_relative_path(); Folder = Folder.parent_path()) {
    std::error_code Ignored;
    if (const auto At = Folder / "share/gmprof/architectures";
        std::filesystem::is_directory(At, Ignored))
      return At.string();
  }
  return "";
}

std::vector<std::string> architectureNames() {
  std::vector<std::string> Names;
  std::error_code Ignored;
  if (const std::string Folder = architectureFolder(); !Folder.empty())
    for (const auto &Entry : std::filesystem::directory_iterator(Folder, Ignored))
      if (Entry.path().extension() == ".json")
        Names.push_back(Entry.path().stem().string());
  std::sort(Names.begin(), Names.end());
  return Names;
}

Result<Architecture> readArchitecture(const std::string &NameOrPath) {
  std::string Path = NameOrPath;
  if (!NameOrPath.ends_with(".json")) {
    const std::vector<std::string> Names = architectureNames();
    if (std::find(Names.begin(), Names.end(), NameOrPath) == Names.end()) {
      std::string All;
      for (const std::string &Name : Names)
        All += (All.empty() ? "" : ", ") + Name;
      return Error{"no architecture is called '" + NameOrPath + "': known are " +
                   (All.empty() ? "none, as share/gmprof/architectures is missing" : All) +
                   ", and files that end in .json"};
    }
    Path = architectureFolder() + "/" + NameOrPath + ".json";
  }
  std::ifstream File(Path);
  std::string Text((std::istreambuf_iterator<char>(File)), std::istreambuf_iterator<char>());
  if (!File)
    return Error{"cannot read '" + Path + "'"};
  return parseArchitecture(Text, Path);
}

bool parseReplacement(const std::string &Name, Replacement &To) {
  for (unsigned I = 0; I < Replacements; ++I)
    if (Name == ReplacementNames[I]) {
      To = static_cast<Replacement>(I);
      return true;
    }
  return false;
}

} // namespace gmprof::cache
