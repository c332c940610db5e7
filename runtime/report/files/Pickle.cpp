//===- Pickle.cpp - Reads data that Python has pickled --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/Pickle.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace gmprof {

using Kind = PickleValue::Kind;

namespace {

/// The opcodes that data consists of.
enum Opcode : uint8_t {
  Proto = 0x80,
  Frame = 0x95,
  Stop = '.',
  Mark = '(',
  NoneValue = 'N',
  NewTrue = 0x88,
  NewFalse = 0x89,
  BinInt = 'J',
  BinInt1 = 'K',
  BinInt2 = 'M',
  Long1 = 0x8a,
  Long4 = 0x8b,
  BinFloat = 'G',
  BinUnicode = 'X',
  ShortBinUnicode = 0x8c,
  BinUnicode8 = 0x8d,
  BinBytes = 'B',
  ShortBinBytes = 'C',
  BinBytes8 = 0x8e,
  EmptyList = ']',
  Append = 'a',
  Appends = 'e',
  EmptyTuple = ')',
  TupleOfMark = 't',
  Tuple1 = 0x85,
  Tuple2 = 0x86,
  Tuple3 = 0x87,
  EmptyDict = '}',
  SetItem = 's',
  SetItems = 'u',
  BinPut = 'q',
  LongBinPut = 'r',
  Memoize = 0x94,
  BinGet = 'h',
  LongBinGet = 'j',
};

/// Returns the name of an opcode with which a pickle names or calls Python code; null: another one.
const char *codeOpcode(uint8_t Op) {
  switch (Op) {
  case 'c':
    return "GLOBAL";
  case 0x93:
    return "STACK_GLOBAL";
  case 'R':
    return "REDUCE";
  case 'b':
    return "BUILD";
  case 'i':
    return "INST";
  case 'o':
    return "OBJ";
  case 0x81:
    return "NEWOBJ";
  case 0x92:
    return "NEWOBJ_EX";
  case 0x82:
    return "EXT1";
  case 0x83:
    return "EXT2";
  case 0x84:
    return "EXT4";
  case 'P':
    return "PERSID";
  case 'Q':
    return "BINPERSID";
  default:
    return nullptr;
  }
}

} // namespace

/// Executes the opcodes of a pickle: a stack of values, marks in it, and a memo of values.
class PickleMachine {
public:
  explicit PickleMachine(std::string_view Data) : Data(Data) {}

  Result<Pickle> run() {
    if (Data.size() < 2 || static_cast<uint8_t>(Data[0]) != Proto)
      return Error{"it does not begin as a pickle of protocol 2 to 5"};
    while (!Done && Why.empty()) {
      Begin = At;
      uint8_t Op = 0;
      if (take(Op))
        execute(Op);
    }
    if (!Why.empty())
      return Error{Why};
    return std::move(To);
  }

private:
  void fail(std::string Text) {
    if (Why.empty())
      Why = std::move(Text);
  }
  void failHere(const std::string &Text) { fail(fmt::format("{} at byte {}", Text, Begin)); }

  std::string_view takeBytes(uint64_t Count) {
    if (Count > Data.size() - At) {
      fail(fmt::format("it is cut off: {} bytes follow byte {}, where {} are announced",
                       Data.size() - At, At, Count));
      return {};
    }
    const std::string_view Taken = Data.substr(At, Count);
    At += Count;
    return Taken;
  }
  /// Takes a little-endian integer; returns false if the pickle ends before.
  template <typename T> bool take(T &Into) {
    static_assert(std::endian::native == std::endian::little);
    if (sizeof(T) > Data.size() - At) {
      fail(fmt::format("it is cut off after {} bytes", Data.size()));
      return false;
    }
    std::memcpy(&Into, Data.data() + At, sizeof(T));
    At += sizeof(T);
    return true;
  }
  template <typename T> uint64_t takeLength() {
    T Length = 0;
    take(Length);
    return Length;
  }

  void push(Kind Of, size_t Index = 0, int64_t Integer = 0) {
    Stack.push_back({Of, static_cast<uint32_t>(Index), Integer});
  }
  template <typename T> void pushInteger() {
    T Value = 0;
    if (take(Value))
      push(Kind::Integer, 0, static_cast<int64_t>(Value));
  }
  void pushLong(std::string_view Bytes) {
    uint64_t Value = !Bytes.empty() && (Bytes.back() & 0x80) != 0 ? UINT64_MAX : 0;
    if (Bytes.size() > sizeof(Value)) {
      push(Kind::LargeInteger);
      return;
    }
    if (!Bytes.empty())
      std::memcpy(&Value, Bytes.data(), Bytes.size());
    push(Kind::Integer, 0, static_cast<int64_t>(Value));
  }
  void pushText(Kind Of, uint64_t Length) {
    To.Texts.push_back(takeBytes(Length));
    push(Of, To.Texts.size() - 1);
  }
  /// Replaces the top Count values by a tuple.
  void pushTuple(size_t Count) {
    if (Count > Stack.size() - bottom())
      return failHere("its stack has too few values");
    const auto First = Stack.end() - static_cast<std::ptrdiff_t>(Count);
    To.Lists.emplace_back(First, Stack.end());
    Stack.erase(First, Stack.end());
    push(Kind::Tuple, To.Lists.size() - 1);
  }

  /// Returns the number of values below the last mark.
  size_t bottom() const { return Marks.empty() ? 0 : Marks.back(); }
  /// Removes the last mark, and returns the number of values above it.
  std::optional<size_t> popMark() {
    if (Marks.empty()) {
      failHere("a mark is missing");
      return std::nullopt;
    }
    const size_t Count = Stack.size() - Marks.back();
    Marks.pop_back();
    return Count;
  }
  /// Returns the value below the top Count ones, if it is of this kind.
  const PickleValue *below(size_t Count, Kind Of) {
    if (Stack.size() - bottom() < Count + 1) {
      failHere("its stack has too few values");
      return nullptr;
    }
    const PickleValue &V = Stack[Stack.size() - Count - 1];
    if (V.Of == Of)
      return &V;
    failHere(Of == Kind::List ? "elements are added to what is no list"
                              : "members are added to what is no dictionary");
    return nullptr;
  }
  void append(size_t Count) {
    if (const PickleValue *V = below(Count, Kind::List)) {
      const auto First = Stack.end() - static_cast<std::ptrdiff_t>(Count);
      std::vector<PickleValue> &Into = To.Lists[V->Index];
      Into.insert(Into.end(), First, Stack.end());
      Stack.erase(First, Stack.end());
    }
  }
  void setItems(size_t Count) {
    if (Count % 2 != 0)
      return failHere("a key has no value");
    if (const PickleValue *V = below(Count, Kind::Dictionary)) {
      auto &Into = To.Dictionaries[V->Index];
      for (size_t I = Stack.size() - Count; I < Stack.size(); I += 2)
        Into.emplace_back(Stack[I], Stack[I + 1]);
      Stack.resize(Stack.size() - Count);
    }
  }

  void put(uint64_t Index) {
    if (Stack.size() == bottom())
      return failHere("its stack has too few values");
    if (Index > Memo.size())
      return failHere(fmt::format("value {} is kept before value {}", Index, Memo.size()));
    if (Index == Memo.size())
      Memo.push_back(Stack.back());
    else
      Memo[Index] = Stack.back();
  }
  void get(uint64_t Index) {
    if (!Why.empty())
      return;
    if (Index >= Memo.size())
      return failHere(fmt::format("value {} is used, of {} that are kept", Index, Memo.size()));
    Stack.push_back(Memo[Index]);
  }

  void execute(uint8_t Op);

  const std::string_view Data;
  size_t At = 0, Begin = 0; ///< position; of the current opcode
  bool Done = false;
  std::string Why; ///< empty: no error so far
  std::vector<PickleValue> Stack, Memo;
  std::vector<size_t> Marks;
  Pickle To;
};

void PickleMachine::execute(uint8_t Op) {
  constexpr uint8_t LeastProtocol = 2, MostProtocol = 5;
  switch (Op) {
  case Proto: {
    uint8_t Version = 0;
    if (take(Version) && (Version < LeastProtocol || Version > MostProtocol))
      fail(fmt::format("it is of pickle protocol {}; 2 to 5 are supported", Version));
    return;
  }
  case Frame: {
    const uint64_t Length = takeLength<uint64_t>();
    if (Why.empty() && Length > Data.size() - At)
      fail(fmt::format("it is cut off: {} bytes follow byte {}, where {} are announced",
                       Data.size() - At, At, Length));
    return;
  }
  case Stop:
    if (Stack.size() != 1 || !Marks.empty())
      return failHere("it ends with other than one value");
    To.Root = Stack[0];
    Done = true;
    return;
  case Mark:
    Marks.push_back(Stack.size());
    return;
  case NoneValue:
    return push(Kind::None);
  case NewTrue:
    return push(Kind::Bool, 0, 1);
  case NewFalse:
    return push(Kind::Bool, 0, 0);
  case BinInt:
    return pushInteger<int32_t>();
  case BinInt1:
    return pushInteger<uint8_t>();
  case BinInt2:
    return pushInteger<uint16_t>();
  case Long1:
    return pushLong(takeBytes(takeLength<uint8_t>()));
  case Long4:
    return pushLong(takeBytes(takeLength<uint32_t>()));
  case BinFloat:
    takeBytes(sizeof(double));
    return push(Kind::Real);
  case BinUnicode:
    return pushText(Kind::Text, takeLength<uint32_t>());
  case ShortBinUnicode:
    return pushText(Kind::Text, takeLength<uint8_t>());
  case BinUnicode8:
    return pushText(Kind::Text, takeLength<uint64_t>());
  case BinBytes:
    return pushText(Kind::Bytes, takeLength<uint32_t>());
  case ShortBinBytes:
    return pushText(Kind::Bytes, takeLength<uint8_t>());
  case BinBytes8:
    return pushText(Kind::Bytes, takeLength<uint64_t>());
  case EmptyList:
    To.Lists.emplace_back();
    return push(Kind::List, To.Lists.size() - 1);
  case Append:
    return append(1);
  case Appends:
    if (const auto Count = popMark())
      append(*Count);
    return;
  case EmptyTuple:
    return pushTuple(0);
  case TupleOfMark:
    if (const auto Count = popMark())
      pushTuple(*Count);
    return;
  case Tuple1:
    return pushTuple(1);
  case Tuple2:
    return pushTuple(2);
  case Tuple3:
    return pushTuple(3);
  case EmptyDict:
    To.Dictionaries.emplace_back();
    return push(Kind::Dictionary, To.Dictionaries.size() - 1);
  case SetItem:
    return setItems(2);
  case SetItems:
    if (const auto Count = popMark())
      setItems(*Count);
    return;
  case BinPut:
    return put(takeLength<uint8_t>());
  case LongBinPut:
    return put(takeLength<uint32_t>());
  case Memoize:
    return put(Memo.size());
  case BinGet:
    return get(takeLength<uint8_t>());
  case LongBinGet:
    return get(takeLength<uint32_t>());
  default:
    break;
  }
  if (const char *Name = codeOpcode(Op))
    failHere(fmt::format("it names Python code to run, which GMProf never runs ({})", Name));
  else
    failHere(fmt::format("it has the unsupported opcode 0x{:02x}", Op));
}

Result<Pickle> Pickle::parse(std::string_view Data) {
  // Indices have 32 bits, and each value takes a byte at least.
  if (Data.size() >= UINT32_MAX)
    return Error{"it is larger than 4 GiB"};
  return PickleMachine(Data).run();
}

} // namespace gmprof
