//===- SummaryJson.cpp - summary.json as text -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryJson.h"
#include "profile/Progress.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

NLOHMANN_JSON_NAMESPACE_BEGIN
template <typename T> struct adl_serializer<std::optional<T>> {
  template <typename Json> static void to_json(Json &J, const std::optional<T> &Value) {
    if (Value)
      J = *Value;
    else
      J = nullptr;
  }
  template <typename Json> static void from_json(const Json &J, std::optional<T> &Value) {
    if (J.is_null())
      Value.reset();
    else
      Value = J.template get<T>();
  }
};
template <> struct adl_serializer<gmprof::summary::Evidence> {
  template <typename Json> static void to_json(Json &J, const gmprof::summary::Evidence &Values) {
    J = Json::object();
    for (const auto &[Name, Value] : Values)
      std::visit([&](const auto &V) { J[Name] = V; }, Value);
  }
  template <typename Json> static void from_json(const Json &J, gmprof::summary::Evidence &Values) {
    for (const auto &[Name, Value] : J.template get_ref<const typename Json::object_t &>())
      Values.emplace_back(Name, valueOf(Value));
  }

private:
  template <typename Json> static gmprof::summary::EvidenceValue valueOf(const Json &J) {
    if (J.is_boolean())
      return J.template get<bool>();
    if (J.is_number_unsigned())
      return J.template get<uint64_t>();
    if (J.is_number())
      return J.template get<double>();
    return J.template get<std::string>();
  }
};
NLOHMANN_JSON_NAMESPACE_END

namespace gmprof::summary {

using Json = nlohmann::ordered_json;

/// Checks that J is an integer in the range of T; the library converts silently and overflows.
template <typename T> void checkInteger(const Json &) {}
template <std::integral T>
  requires(!std::same_as<T, bool>)
void checkInteger(const Json &J) {
  bool Fits = J.is_number_unsigned() ? std::in_range<T>(J.get<uint64_t>())
                                     : J.is_number_integer() && std::in_range<T>(J.get<int64_t>());
  if (!Fits)
    throw Json::type_error::create(302, "not an integer in range", &J);
}
template <typename T> struct Integers {
  static void check(const Json &J) { checkInteger<T>(J); }
};
template <typename T> struct Integers<std::optional<T>> {
  static void check(const Json &J) {
    if (!J.is_null())
      checkInteger<T>(J);
  }
};
template <typename T> struct Integers<std::vector<T>> {
  static void check(const Json &J) {
    for (const Json &Element : J)
      checkInteger<T>(Element);
  }
};
template <typename T, size_t N> struct Integers<std::array<T, N>> : Integers<std::vector<T>> {};

template <typename T> void member(const Json &J, const char *Name, T &To) {
  const Json &Value = J.at(Name);
  Integers<T>::check(Value);
  Value.get_to(To);
}

/// Like NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE, for ordered_json and with checked integers.
#define GMPROF_JSON_FROM(Name) member(nlohmann_json_j, #Name, nlohmann_json_t.Name);
#define GMPROF_JSON(Type, ...)                                                                     \
  static void to_json(Json &nlohmann_json_j, const Type &nlohmann_json_t) {                        \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                       \
  }                                                                                                \
  static void from_json(const Json &nlohmann_json_j, Type &nlohmann_json_t) {                      \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(GMPROF_JSON_FROM, __VA_ARGS__))                       \
  }

static void to_json(Json &J, const RawJson &Value) { J = Json::parse(Value.text); }
static void from_json(const Json &J, RawJson &Value) { Value.text = J.dump(); }

#include "report/model/SummaryMembers.def"

} // namespace gmprof::summary

namespace gmprof {

using summary::Json;

static bool isPlain(const Json &J) { return !J.is_structured() || J.empty(); }
static bool hasPlainParts(const Json &J) { return std::all_of(J.begin(), J.end(), isPlain); }

/// Appends a value. Arrays of plain values, and objects of these, take one line: half of a summary
/// would be indentation otherwise.
static void write(const Json &J, size_t Indent, std::string &To) {
  if (isPlain(J)) {
    // Replaces invalid UTF-8, as file names may be any bytes.
    To += J.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const bool OneLine =
      hasPlainParts(J) || (J.is_object() && std::all_of(J.begin(), J.end(), [](const Json &Part) {
                             return isPlain(Part) || hasPlainParts(Part);
                           }));
  const auto NewLine = [&](size_t Spaces) {
    if (!OneLine)
      To.append("\n").append(Spaces, ' ');
  };
  const char *Separator = "";
  To += J.is_object() ? '{' : '[';
  for (const auto &[Name, Value] : J.items()) {
    To += Separator;
    NewLine(Indent + 2);
    if (J.is_object())
      To += Json(Name).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    write(Value, Indent + 2, To);
    Separator = OneLine ? ", " : ",";
  }
  NewLine(Indent);
  To += J.is_object() ? '}' : ']';
}

std::string toJson(const summary::Summary &S) {
  std::string Text;
  write(Json(S), 0, Text);
  return Text + "\n";
}

/// Maximum nesting; deeper JSON is no summary, and would exhaust the stack.
static constexpr int MaxDepth = 64;
namespace {
struct TooDeep {};
} // namespace

static std::string notASummary(const std::string &Name) {
  return "'" + Name + "' is not a GMProf summary: give the summary.json that 'gmprof run' wrote";
}

static void makePrintable(Json &J) {
  if (J.is_string())
    J = text::printable(J.get_ref<const std::string &>());
  else if (J.is_structured())
    for (Json &Each : J)
      makePrintable(Each);
}

/// Returns true if all site indices of functions and sequences are valid.
static bool hasPlaces(const summary::Sync &S) {
  const auto IsThere = [&](uint32_t Site) { return Site < S.sites.size(); };
  return std::all_of(S.functions.begin(), S.functions.end(),
                     [&](const summary::SyncFold &F) {
                       return std::all_of(F.sites.begin(), F.sites.end(), IsThere);
                     }) &&
         std::all_of(S.sequences.begin(), S.sequences.end(), [&](const summary::SyncSequence &Q) {
           return std::all_of(Q.entries.begin(), Q.entries.end(),
                              [&](const summary::SyncEntry &E) { return IsThere(E.site); });
         });
}

/// Returns true if all indices in call paths are those of functions.
static bool hasFrames(const summary::Summary &S) {
  return std::ranges::all_of(S.call_paths, [&](const std::vector<uint32_t> &Path) {
    return std::ranges::all_of(Path, [&](uint32_t Each) { return Each < S.frames.size(); });
  });
}

Result<summary::Summary> parseSummary(const std::string &Text, const std::string &Name,
                                      SummaryText Strings) {
  if (Text.find_first_not_of(" \t\r\n") == std::string::npos)
    return Error{"'" + Name + "' is empty"};
  Json J;
  try {
    J = Json::parse(Text, [](int Depth, Json::parse_event_t, const Json &) {
      if (Depth > MaxDepth)
        throw TooDeep();
      return true;
    });
  } catch (const TooDeep &) {
    return Error{notASummary(Name)};
  } catch (const Json::parse_error &E) {
    if (E.byte > Text.size())
      return Error{"'" + Name + "' is truncated: it ends in the middle of the JSON"};
    return Error{"'" + Name + "' is not JSON (at byte " + std::to_string(E.byte) + ")"};
  } catch (const Json::out_of_range &) { // 406: a number
    return Error{"'" + Name + "' has a number that is too large for a GMProf summary"};
  }
  const std::string Prefix = summary::SchemaPrefix;
  std::string Schema;
  if (J.is_object() && J.contains("schema") && J["schema"].is_string())
    Schema = J["schema"].get<std::string>();
  if (Schema.rfind(Prefix, 0) != 0)
    return Error{notASummary(Name)};
  if (Schema != Prefix + std::to_string(summary::SchemaVersion))
    return Error{"'" + Name + "' is a summary of version " + Schema.substr(Prefix.size()) +
                 ", and this gmreport reads version " + std::to_string(summary::SchemaVersion) +
                 ": use the gmreport of the GMProf that wrote it"};
  if (Strings == SummaryText::Printable)
    makePrintable(J);
  const std::string Damaged =
      "'" + Name + "' is a damaged GMProf summary, or one of an older GMProf: ";
  try {
    auto Read = J.get<summary::Summary>();
    if (Read.sync && !hasPlaces(*Read.sync))
      return Error{Damaged + "it has no place of a number that it names"};
    if (!hasFrames(Read))
      return Error{Damaged + "it has no function of a number that it names"};
    return Read;
  } catch (const Json::exception &E) {
    // e.g. "[json.exception.out_of_range.403] (/kernels/0) key 'name' not found"
    std::string Why = E.what();
    if (size_t Bracket = Why.find("] "); Bracket != std::string::npos)
      Why = Why.substr(Bracket + 2);
    return Error{Damaged + Why};
  }
}

/// Returns true if the folder contains an event log, which a killed program leaves.
static bool holdsEventLog(const std::string &Folder) {
  std::error_code Failure;
  for (const auto &Entry : std::filesystem::directory_iterator(Folder, Failure)) {
    const std::string Name = Entry.path().filename().string();
    if (Name.starts_with("events") && Name.ends_with(".gmlog"))
      return true;
  }
  return false;
}

Result<summary::Summary> readSummary(const std::string &Path, SummaryText Strings) {
  auto Failed = [&](const char *Why) { return Error{"cannot read '" + Path + "': " + Why}; };
  struct stat Status = {};
  if (::stat(Path.c_str(), &Status) != 0)
    return Failed(std::strerror(errno));
  if (S_ISDIR(Status.st_mode)) {
    const std::string Inside = Path + "/summary.json";
    if (::access(Inside.c_str(), F_OK) != 0 && holdsEventLog(Path))
      return Error{"there is no summary in '" + Path + "', but an event log: 'gmprof recover " +
                   Path + "' makes one of it"};
    return readSummary(Inside, Strings);
  }
  progress("reading " + Path);
  std::ifstream In(Path, std::ios::binary);
  if (!In)
    return Failed(std::strerror(errno));
  std::ostringstream Text;
  // For an empty file, this sets failbit, which is not an error here.
  Text << In.rdbuf();
  if (In.bad())
    return Failed(std::strerror(EIO));
  return parseSummary(Text.str(), Path, Strings);
}

} // namespace gmprof
