//===- Provenance.cpp - Registers that hold addresses ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Provenance.h"

using namespace llvm;

namespace gmprof::ptx {

unsigned addressSpace(Space S) {
  switch (S) {
  case Space::Global:
    return GlobalSpace;
  case Space::Shared:
    return SharedSpace;
  case Space::Const:
    return ConstSpace;
  default:
    return GenericSpace;
  }
}

Space spaceOf(const Instruction &I) {
  for (StringRef M : I.Modifiers)
    if (std::optional<Space> S = spaceNamed(M))
      return *S;
  return Space::Generic;
}

bool isWidening(const Instruction &I) {
  return I.Opcode == "cvt" && I.Modifiers.size() == 2 && I.Modifiers[0] == "u64" &&
         I.Modifiers[1] == "u32" && I.Operands.size() == 2;
}

namespace {

/// What a register or operand holds.
struct Content {
  enum Kind : uint8_t { Unknown, Constant, Integer, Address } K = Unknown;
  unsigned Space = 0;
  bool operator==(const Content &) const = default;
};

class Inference {
public:
  Inference(const Function &F, const StringMap<unsigned> &VariableSpaces)
      : F(F), VariableSpaces(VariableSpaces), Definitions(F.Registers.size()),
        Contents(F.Registers.size()), Uses(F.Registers.size()) {}

  std::vector<std::optional<unsigned>> run() {
    collect();
    // Each round makes a register's content or use known, or ends the loop; most functions need
    // few.
    constexpr unsigned MaxRounds = 64;
    for (unsigned Round = 0; Round < MaxRounds; ++Round) {
      Changed = false;
      for (unsigned R = 0; R < Definitions.size(); ++R)
        if (!Definitions[R].empty())
          visit(R);
      if (!Changed)
        break;
    }
    std::vector<std::optional<unsigned>> Result(F.Registers.size());
    for (unsigned R = 0; R < Result.size(); ++R)
      if (Contents[R].K == Content::Address)
        Result[R] = Contents[R].Space;
    return Result;
  }

private:
  void define(const Operand &O, const Instruction &I) {
    if (O.isRegister())
      Definitions[O.Index].push_back(&I);
    else if (O.K != Operand::Kind::Address)
      for (const Operand &Part : O.Parts)
        define(Part, I);
  }

  void use(const Operand &O, unsigned Space) {
    if (!O.isRegister())
      return;
    std::optional<unsigned> &U = Uses[O.Index];
    if (!U)
      U = Space;
    else if (*U != Space && Space == GenericSpace && *U != SharedSpace)
      U = GenericSpace;
    else
      return;
    Changed = true;
  }

  void useAddresses(const Instruction &I, unsigned Space) {
    for (const Operand &O : I.Operands)
      if (O.K == Operand::Kind::Address)
        use(O.Parts[0], Space);
  }

  void collect() {
    for (const Instruction &I : F.Instructions) {
      if (!I.Operands.empty())
        define(I.Operands[0], I);
      if (I.Opcode == "ld" || I.Opcode == "st" || I.Opcode == "atom" || I.Opcode == "red") {
        if (spaceOf(I) != Space::Param)
          useAddresses(I, addressSpace(spaceOf(I)));
      } else if (I.Opcode == "cp" && I.has("async") && !I.has("bulk") && I.Operands.size() >= 2) {
        if (I.Operands[0].K == Operand::Kind::Address)
          use(I.Operands[0].Parts[0], SharedSpace);
        if (I.Operands[1].K == Operand::Kind::Address)
          use(I.Operands[1].Parts[0], GlobalSpace);
      } else if (I.Opcode == "ldmatrix" || I.Opcode == "stmatrix") {
        useAddresses(I, SharedSpace);
      } else if (I.Opcode == "cvta" && I.Operands.size() == 2) {
        use(I.Operands[1], I.has("to") ? GenericSpace : addressSpace(spaceOf(I)));
      }
    }
  }

  Content contentOf(const Operand &O) const {
    switch (O.K) {
    case Operand::Kind::Register:
      return Contents[O.Index];
    case Operand::Kind::Variable:
      return {Content::Address, addressSpace(F.Variables[O.Index].In)};
    case Operand::Kind::Symbol: {
      auto Found = VariableSpaces.find(O.Name);
      return Found == VariableSpaces.end() ? Content{Content::Integer}
                                           : Content{Content::Address, Found->second};
    }
    case Operand::Kind::Integer:
      return {Content::Constant};
    default:
      return {Content::Integer};
    }
  }

  static bool isAddress(const Content &C) { return C.K == Content::Address; }

  /// Returns what an instruction writes to its first operand.
  Content result(const Instruction &I) const {
    const std::vector<Operand> &O = I.Operands;
    if (!O[0].isRegister())
      return I.Opcode == "ld" ? Content{} : Content{Content::Integer};
    if (I.Opcode == "ld")
      return {};
    if (I.Opcode == "mov" && O.size() == 2)
      return contentOf(O[1]);
    if (I.Opcode == "cvta")
      return {Content::Address, I.has("to") ? addressSpace(spaceOf(I)) : unsigned(GenericSpace)};
    if (isWidening(I) && contentOf(O[1]) == Content{Content::Address, SharedSpace})
      return {Content::Address, SharedSpace};
    if ((I.Opcode == "add" || I.Opcode == "sub") && O.size() == 3) {
      Content A = contentOf(O[1]), B = contentOf(O[2]);
      if (isAddress(A) && !isAddress(B))
        return A;
      if (isAddress(B) && !isAddress(A) && I.Opcode == "add")
        return B;
      return A.K == Content::Unknown || B.K == Content::Unknown ? Content{}
                                                                : Content{Content::Integer};
    }
    if (I.Opcode == "mad" && O.size() == 4) {
      Content A = contentOf(O[3]);
      return A.K == Content::Constant ? Content{Content::Integer} : A;
    }
    if (I.Opcode == "selp" && O.size() == 4) {
      Content A = contentOf(O[1]), B = contentOf(O[2]);
      if (A == B || B.K == Content::Unknown)
        return A;
      return A.K == Content::Unknown ? B : Content{Content::Integer};
    }
    return {Content::Integer};
  }

  void visit(unsigned R) {
    const Type &Ty = F.Registers[R];
    if (Ty.totalBits() < 32 || Ty.totalBits() > 64 || Ty.isFloat() ||
        Contents[R].K == Content::Integer)
      return;
    Content C;
    bool AllConstant = true, AllLoads = true, Mixed = false;
    for (const Instruction *I : Definitions[R]) {
      Content Each = result(*I);
      AllConstant &= Each.K == Content::Constant;
      AllLoads &= I->Opcode == "ld";
      if (Each.K == Content::Integer || (isAddress(Each) && isAddress(C) && Each.Space != C.Space))
        Mixed = true;
      else if (isAddress(Each))
        C = Each;
    }
    if (Mixed || AllConstant)
      C = {Content::Integer};
    else if (!isAddress(C) && Uses[R] && (AllLoads || Contents[R].K == Content::Unknown))
      C = {Content::Address, *Uses[R]};
    if (C.K != Content::Unknown && C != Contents[R]) {
      Contents[R] = C;
      Changed = true;
    }
    if (Uses[R] && Contents[R].K != Content::Integer)
      for (const Instruction *I : Definitions[R])
        useSources(*I, *Uses[R]);
  }

  /// Notes that the address that an instruction computes is used in a space.
  void useSources(const Instruction &I, unsigned Space) {
    const std::vector<Operand> &O = I.Operands;
    auto IsInteger = [](const Content &C) {
      return C.K == Content::Integer || C.K == Content::Constant;
    };
    if (I.Opcode == "mov" && O.size() == 2) {
      use(O[1], Space);
    } else if ((I.Opcode == "add" || I.Opcode == "sub") && O.size() == 3) {
      Content A = contentOf(O[1]), B = contentOf(O[2]);
      if (IsInteger(B) && !IsInteger(A))
        use(O[1], Space);
      else if (IsInteger(A) && !IsInteger(B) && I.Opcode == "add")
        use(O[2], Space);
    } else if (I.Opcode == "mad" && O.size() == 4) {
      use(O[3], Space);
    } else if (I.Opcode == "selp" && O.size() == 4) {
      use(O[1], Space);
      use(O[2], Space);
    }
  }

  const Function &F;
  const StringMap<unsigned> &VariableSpaces;
  std::vector<std::vector<const Instruction *>> Definitions; ///< per register
  std::vector<Content> Contents;
  std::vector<std::optional<unsigned>> Uses; ///< space of the accesses
  bool Changed = false;
};

} // namespace

std::vector<std::optional<unsigned>> inferAddresses(const Function &F,
                                                    const StringMap<unsigned> &VariableSpaces) {
  return Inference(F, VariableSpaces).run();
}

} // namespace gmprof::ptx
