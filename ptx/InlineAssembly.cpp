//===- InlineAssembly.cpp - Instructions that LLVM IR does not model ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction without a row becomes inline assembly with its operands. It reads and writes
// memory and is convergent, unless it only computes. One that may not execute, or that adds to its
// result, also reads the registers that it writes.
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

#include "Provenance.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gmprof::ptx {

/// Returns whether an instruction only computes a result from its operands.
static bool onlyComputes(const Instruction &I) {
  if (I.Opcode == "mov")
    return none_of(I.Operands, [](const Operand &O) { return O.K == Operand::Kind::Special; });
  return StringSwitch<bool>(I.Opcode)
      .Cases({"abs", "add", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot"}, true)
      .Cases({"copysign", "cos", "cvt", "cvta", "div", "dp2a", "dp4a", "ex2", "fma", "fns"}, true)
      .Cases({"isspacep", "lg2", "lop3", "mad", "mad24", "max", "min", "mul", "mul24"}, true)
      .Cases({"neg", "not", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "sad", "selp"}, true)
      .Cases({"set", "setp", "shf", "shl", "shr", "sin", "slct", "sqrt", "sub", "szext"}, true)
      .Cases({"tanh", "testp", "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vmad"}, true)
      .Cases({"mapa", "getctarank", "xor"}, true)
      .Default(false);
}

/// Returns whether an instruction writes its first operand, if that is a register.
static bool hasResult(const Instruction &I) {
  if (I.Opcode == "bar" || I.Opcode == "barrier")
    return I.has("red");
  if (I.Opcode == "tcgen05")
    return !I.has("dealloc") && !I.has("st");
  return StringSwitch<bool>(I.Opcode)
      .Cases({"nanosleep", "stackrestore", "setmaxnreg", "fence", "membar", "pmevent"}, false)
      .Default(true);
}

/// Writes the text, the constraints and the arguments of one instruction.
class AssemblyWriter {
public:
  AssemblyWriter(InstructionLifter &L, const Instruction &I) : L(L), I(I) {}

  void emit() {
    bool Result = hasResult(I) && !I.Operands.empty() && I.Operands[0].K != Operand::Kind::Address;
    if (Result)
      collectWritten(I.Operands[0]);
    // Its reads of the accumulators end here: what uses them must stay behind.
    if (I.Opcode == "wgmma" && I.has("wait_group"))
      for (unsigned R : L.Accumulators)
        addWritten(R);
    Ties = I.Guard || I.Opcode == "wgmma" || (!I.Operands.empty() && mixesSelectors());
    for (unsigned R : Written)
      Constraints.push_back("=" + constraint(registerType(R)).str());
    if (Ties)
      for (unsigned N = 0; N < Written.size(); ++N) {
        Arguments.push_back(L.read(asOperand(Written[N]), registerType(Written[N])));
        Constraints.push_back(std::to_string(N));
      }
    if (I.Guard) {
      Text += I.Guard->Negated ? "@!" : "@";
      Operand Guard = *I.Guard;
      Guard.Negated = false;
      writeRead(Guard);
      Text += " ";
    }
    escape(I.name());
    for (size_t N = 0; N < I.Operands.size(); ++N) {
      Text += N ? ", " : " ";
      writeOperand(I.Operands[N], Result && N == 0);
    }
    Text += ";";
    if (!Bytes.empty())
      addByteRegisters();
    call();
  }

private:
  static Operand asOperand(unsigned Register) {
    Operand O;
    O.K = Operand::Kind::Register;
    O.Index = Register;
    return O;
  }

  /// Returns the type in which inline assembly holds a register.
  llvm::Type *registerType(unsigned R) {
    unsigned Bits = L.Source.Registers[R].totalBits();
    return L.intType(Bits == 8 ? 16 : Bits);
  }

  static StringRef constraint(llvm::Type *Ty) {
    switch (Ty->getIntegerBitWidth()) {
    case 1:
      return "b";
    case 16:
      return "h";
    case 32:
      return "r";
    case 64:
      return "l";
    default:
      return "q";
    }
  }

  /// Returns the text for a register that inline assembly holds as operand Number.
  std::string registerText(unsigned Number, unsigned R) {
    if (L.Source.Registers[R].totalBits() != 8)
      return "$" + std::to_string(Number);
    if (!is_contained(Bytes, Number))
      Bytes.push_back(Number);
    return byteRegister(Number);
  }

  static std::string byteRegister(unsigned Number) { return "%byte" + std::to_string(Number); }

  /// Declares registers of 8 bits, which some instructions demand, around the instruction, and
  /// copies them from and to the 16 bits in which inline assembly holds them.
  void addByteRegisters() {
    std::string Before = "{ ", After;
    for (unsigned Number : Bytes) {
      const std::string Byte = byteRegister(Number), Operand = "$" + std::to_string(Number);
      const bool IsWritten = Number < Written.size();
      Before += ".reg .b8 " + Byte + ", " + Byte + "h; ";
      if (!IsWritten || Ties)
        Before += "mov.b16 {" + Byte + ", " + Byte + "h}, " + Operand + "; ";
      if (IsWritten)
        After += " mov.b16 " + Operand + ", {" + Byte + ", 0};";
    }
    Text = Before + Text + After + " }";
  }

  void addWritten(unsigned R) {
    if (!is_contained(Written, R))
      Written.push_back(R);
  }

  void collectWritten(const Operand &O) {
    if (O.isRegister())
      addWritten(O.Index);
    else if (O.K != Operand::Kind::Address)
      for (const Operand &Part : O.Parts)
        collectWritten(Part);
  }

  /// Returns whether the instruction writes a part of its result only.
  bool mixesSelectors() const { return !I.Operands[0].Selector.empty(); }

  void escape(StringRef Piece) {
    for (char C : Piece) {
      if (C == '$')
        Text += '$';
      Text += C;
    }
  }

  /// Writes an argument that holds the value of a register, or the address of a variable.
  void writeRead(const Operand &O) {
    if (O.isRegister() && Ties) {
      auto *Found = find(Written, O.Index);
      if (Found != Written.end()) {
        Text += registerText(Found - Written.begin(), O.Index);
        return;
      }
    }
    std::string Key;
    llvm::Type *Ty = nullptr;
    if (O.isRegister()) {
      Key = "r" + std::to_string(O.Index);
      Ty = registerType(O.Index);
    } else {
      Key = (O.Name + "+" + Twine(O.Bits)).str();
      Ty = L.intType(L.addressSpaceOf(O) == SharedSpace ? 32 : 64);
    }
    auto [Number, New] = Reads.try_emplace(Key, unsigned(Constraints.size()));
    if (New) {
      Constraints.push_back(constraint(Ty).str());
      Arguments.push_back(L.read(O, Ty));
    }
    Text += O.isRegister() ? registerText(Number->second, O.Index)
                           : "$" + std::to_string(Number->second);
  }

  void writeList(const Operand &O, char Open, char Close, bool Result) {
    Text += Open;
    for (size_t N = 0; N < O.Parts.size(); ++N) {
      Text += N ? ", " : "";
      writeOperand(O.Parts[N], Result);
    }
    Text += Close;
  }

  void writeOperand(const Operand &O, bool Result) {
    switch (O.K) {
    case Operand::Kind::Register: {
      if (O.Negated)
        Text += "!";
      if (Result) {
        Text += registerText(find(Written, O.Index) - Written.begin(), O.Index);
      } else {
        Operand Plain = O;
        Plain.Negated = false;
        writeRead(Plain);
      }
      if (!O.Selector.empty())
        Text += "." + O.Selector.str();
      break;
    }
    case Operand::Kind::Variable:
    case Operand::Kind::Symbol:
      writeRead(O);
      break;
    case Operand::Kind::Vector:
      writeList(O, '{', '}', Result);
      break;
    case Operand::Kind::List:
      writeList(O, '(', ')', Result);
      break;
    case Operand::Kind::Pair:
      writeOperand(O.Parts[0], Result);
      Text += "|";
      writeOperand(O.Parts[1], Result);
      break;
    case Operand::Kind::Address:
      Text += "[";
      writeOperand(O.Parts[0], false);
      if (O.Bits)
        Text += "+" + std::to_string(int64_t(O.Bits));
      for (const Operand &Part : ArrayRef(O.Parts).drop_front()) {
        Text += ", ";
        writeOperand(Part, false);
      }
      Text += "]";
      break;
    case Operand::Kind::Sink:
      Text += "_";
      break;
    case Operand::Kind::Integer:
      Text += std::to_string(int64_t(O.Bits));
      break;
    case Operand::Kind::Float: {
      std::string Digits = utohexstr(O.Bits);
      Text += O.FloatWidth == 32 ? "0f" : "0d";
      Text += std::string(O.FloatWidth / 4 - Digits.size(), '0') + Digits;
      break;
    }
    default:
      escape(O.Name);
    }
  }

  void call() {
    IRBuilder<> &B = L.B;
    bool Pure = onlyComputes(I);
    if (!Pure)
      Constraints.push_back("~{memory}");
    SmallVector<llvm::Type *, 8> Results, Parameters;
    for (unsigned R : Written)
      Results.push_back(registerType(R));
    for (Value *V : Arguments)
      Parameters.push_back(V->getType());
    llvm::Type *Result = Results.empty()       ? B.getVoidTy()
                         : Results.size() == 1 ? Results[0]
                                               : StructType::get(B.getContext(), Results);
    auto *Ty = FunctionType::get(Result, Parameters, false);
    auto *Asm = InlineAsm::get(Ty, Text, join(Constraints, ","), /*hasSideEffects=*/!Pure);
    CallInst *Call = B.CreateCall(Asm, Arguments);
    Call->addFnAttr(Attribute::NoUnwind);
    if (Pure) {
      Call->setDoesNotAccessMemory();
      Call->addFnAttr(Attribute::WillReturn);
    } else {
      Call->setConvergent();
      L.mark(*Call);
    }
    for (unsigned N = 0; N < Written.size(); ++N)
      L.write(asOperand(Written[N]), Written.size() == 1 ? Call : B.CreateExtractValue(Call, N));
  }

  InstructionLifter &L;
  const Instruction &I;
  bool Ties = false;
  std::string Text;
  SmallVector<unsigned, 8> Written; ///< registers
  std::vector<std::string> Constraints;
  SmallVector<Value *, 8> Arguments;
  StringMap<unsigned> Reads;      ///< operand → its number
  SmallVector<unsigned, 2> Bytes; ///< numbers of the operands of 8 bits
};

void InstructionLifter::emitInlineAssembly(const Instruction &I) {
  AssemblyWriter(*this, I).emit();
}

} // namespace gmprof::ptx
