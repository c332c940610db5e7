//===- DescriptorWriter.h - Lays out a descriptor ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor is a GmprofKernelDesc and, behind it, one part for each of its pairs of offset and
// count. The parts lie in the order of these fields, each at a multiple of 8 bytes. The strings
// come last, and need no alignment.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_DESCRIPTORWRITER_H
#define GMPROF_PASS_CORE_DESCRIPTORWRITER_H

#include "pass/core/Descriptor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include <array>
#include <map>

/// Defines toConstant for a struct of abi.h, whose fields GMPROF_FIELD lists.
#define GMPROF_FIELD(type, name) gmprof::integerConstant<type>(Context, S.name),
#define GMPROF_DEFINE_CONSTANT(Struct, Fields)                                                     \
  static llvm::Constant *toConstant(llvm::LLVMContext &Context, const Struct &S) {                 \
    return llvm::ConstantStruct::getAnon(Context, {Fields});                                       \
  }

namespace gmprof {

template <class T> llvm::Constant *integerConstant(llvm::LLVMContext &Context, T Value) {
  return llvm::ConstantInt::get(llvm::IntegerType::get(Context, sizeof(T) * 8), Value);
}

/// The strings of a descriptor, without duplicates. Offset 0 is the empty string.
class StringTable {
public:
  uint32_t offset(llvm::StringRef S);
  const std::string &bytes() const { return Bytes; }

private:
  std::string Bytes = std::string(1, '\0');
  llvm::StringMap<uint32_t> Offsets;
};

class DescriptorWriter {
public:
  explicit DescriptorWriter(llvm::LLVMContext &Context) : Context(Context) {}

  llvm::LLVMContext &Context;
  GmprofKernelDesc Header = {};
  std::vector<GmprofVariableDesc> Variables;

  /// Returns the offset of a string.
  uint32_t string(llvm::StringRef S) { return Strings.offset(S); }
  /// Returns the number of the call by which the location's function was inlined, or GMPROF_NONE.
  /// The descriptor contains equal calls in equal calls once.
  gmprof_u32 inlinedAt(const SourceLocation &Of);
  /// Returns the number of the first of these words. The descriptor contains equal forms once, such
  /// as forms of one access in several profiles.
  gmprof_u32 words(const std::vector<int64_t> &Form);
  /// Adds the closed form of a site.
  void addForm(gmprof_u32 Site, gmprof_u32 Variable, const std::vector<int64_t> &Form);

  /// Adds a part, whose offset is written to a field of Header.
  void addPart(uint32_t &Offset, llvm::Constant *Value, uint64_t Bytes);
  /// Adds a part of structs, whose offset and number are written to fields of Header. toConstant is
  /// defined for them.
  template <class T>
  void addPart(uint32_t &Offset, uint32_t &Count, const std::vector<T> &Elements) {
    static_assert(sizeof(T) % 8 == 0, "parts begin at multiples of 8");
    llvm::SmallVector<llvm::Constant *, 0> Constants;
    for (const T &Element : Elements)
      Constants.push_back(toConstant(Context, Element));
    // An empty array has no element to take the type from.
    llvm::Type *Type =
        Constants.empty() ? llvm::Type::getInt8Ty(Context) : Constants.front()->getType();
    Count = Elements.size();
    addPart(Offset,
            llvm::ConstantArray::get(llvm::ArrayType::get(Type, Constants.size()), Constants),
            Elements.size() * sizeof(T));
  }
  /// Adds a part of 32-bit numbers, padded with GMPROF_NONE.
  void addPart(uint32_t &Offset, uint32_t &Count, std::vector<uint32_t> Numbers);

  /// Describes the kernel, and returns the descriptor.
  llvm::Constant *write(const KernelDescription &D,
                        llvm::ArrayRef<std::unique_ptr<CloneBuilder>> Builders);

  static gmprof_u32 numberOf(int Variable) {
    return Variable < 0 ? GMPROF_NONE : static_cast<gmprof_u32>(Variable);
  }

private:
  struct Part {
    uint32_t *Offset;
    llvm::Constant *Value;
    uint64_t Bytes;
  };
  std::vector<Part> Parts;
  StringTable Strings;
  std::vector<GmprofSiteDesc> Sites;
  std::vector<GmprofFormDesc> Forms;
  std::vector<gmprof_i64> FormWords;
  std::map<std::vector<int64_t>, gmprof_u32> WordsAt;
  std::vector<GmprofInlineDesc> Inlined;
  std::map<std::array<gmprof_u32, 5>, gmprof_u32> InlineAt; ///< by its fields

  void writeHeader(const KernelDescription &D);
  void writeVariables(const KernelDescription &D);
  void writeSites(const KernelDescription &D,
                  llvm::ArrayRef<std::unique_ptr<CloneBuilder>> Builders);
  void addInstructions(const KernelDescription &D);
  llvm::Constant *layOut();
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_DESCRIPTORWRITER_H
