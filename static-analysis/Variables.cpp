//===- Variables.cpp - The variables that accesses go to ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "Variables.h"
#include "AddressSpaces.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gmprof;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Returns the position after the last "function(...)[ const]::" of a demangled name, where a name
/// local to that function begins, or 0.
static size_t startOfLocalName(StringRef Name) {
  size_t Start = 0;
  unsigned Depth = 0; // nesting of (), <>, {} and []
  for (size_t I = 0; I + 1 < Name.size(); ++I) {
    char C = Name[I];
    if (C == '(' || C == '<' || C == '{' || C == '[')
      ++Depth;
    else if ((C == ')' || C == '>' || C == '}' || C == ']') && Depth)
      --Depth;
    else if (C == ':' && Name[I + 1] == ':' && Depth == 0 && I) {
      StringRef Scope = Name.take_front(I);
      Scope.consume_back(" const");
      bool IsFunction = Scope.ends_with(")") && !Scope.ends_with("(anonymous namespace)");
      if (IsFunction)
        Start = I + 2;
      ++I;
    }
  }
  return Start;
}

std::string gmprof::variableNameFromSymbol(StringRef Symbol) {
  // clang appends a suffix to static variables under -fgpu-rdc that is unique to their file:
  // x__static__<hash>, or x.static.<hash>.
  Symbol = Symbol.take_front(Symbol.find("__static__"));
  Symbol = Symbol.take_front(Symbol.find(".static."));
  Symbol = Symbol.take_front(Symbol.find(".intern."));
  std::string Name = demangle(Symbol);
  return Name.substr(startOfLocalName(Name));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static const DIType *stripTypedefs(const DIType *Ty, bool StripTypedefs = true) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(Ty)) {
    switch (Derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_template_alias:
      if (!StripTypedefs)
        return Ty;
      [[fallthrough]];
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_member:
      Ty = Derived->getBaseType();
      continue;
    default:
      return Ty;
    }
  }
  return Ty;
}

static const DICompositeType *asArray(const DIType *Ty) {
  auto *Composite = dyn_cast_or_null<DICompositeType>(stripTypedefs(Ty));
  return Composite && Composite->getTag() == dwarf::DW_TAG_array_type && !Composite->isVector()
             ? Composite
             : nullptr;
}

/// Returns the bytes of an array's innermost element, or of the scalar or struct.
static unsigned elementBytes(const DIType *Ty) {
  while (const DICompositeType *Array = asArray(Ty))
    Ty = Array->getBaseType();
  for (Ty = stripTypedefs(Ty); Ty && !Ty->getSizeInBits();) {
    auto *Derived = dyn_cast<DIDerivedType>(Ty);
    if (!Derived)
      break;
    Ty = stripTypedefs(Derived->getBaseType());
  }
  return Ty ? Ty->getSizeInBits() / 8 : 0;
}

static unsigned elementBytes(Type *Ty, const DataLayout &DL) {
  while (auto *Array = dyn_cast<ArrayType>(Ty))
    Ty = Array->getElementType();
  return Ty->isSized() ? DL.getTypeAllocSize(Ty).getFixedValue() : 0;
}

static std::string typeName(const DIType *Ty);

static std::string qualifiedName(const DIScope *Scope, StringRef Name) {
  std::string Result = Name.str();
  for (; Scope; Scope = Scope->getScope()) {
    if (isa<DISubprogram, DILexicalBlockBase>(Scope))
      break; // local to a function: the source uses its unqualified name
    if (!isa<DINamespace, DICompositeType>(Scope))
      continue;
    StringRef Outer = Scope->getName();
    Result = (Outer.empty() ? "(anonymous namespace)" : Outer.str()) + "::" + Result;
  }
  return Result;
}

static std::string arrayTypeName(const DICompositeType &Array) {
  // float[32][33] is one array type of two ranges; typedefs may nest more.
  std::string Element = typeName(Array.getBaseType()), Ranges;
  if (size_t Bracket = Element.find('['); Bracket != std::string::npos) {
    Ranges = Element.substr(Bracket);
    Element.resize(Bracket);
  }
  std::string Own;
  for (const DINode *Node : Array.getElements()) {
    auto *Range = dyn_cast<DISubrange>(Node);
    auto *Count = Range ? dyn_cast_if_present<ConstantInt *>(Range->getCount()) : nullptr;
    bool Known = Count && !Count->isMinusOne();
    Own += '[' + (Known ? std::to_string(Count->getZExtValue()) : std::string()) + ']';
  }
  return Element + Own + Ranges;
}

static std::string typeName(const DIType *Ty) {
  if (!Ty)
    return "void";
  if (auto *Composite = dyn_cast<DICompositeType>(Ty)) {
    if (Composite->getTag() == dwarf::DW_TAG_array_type && Composite->isVector())
      return std::string(); // an ext_vector, which has no name in CUDA
    if (Composite->getTag() == dwarf::DW_TAG_array_type)
      return arrayTypeName(*Composite);
    if (Composite->getName().empty())
      return "(unnamed)";
    return qualifiedName(Composite->getScope(), Composite->getName());
  }
  auto *Derived = dyn_cast<DIDerivedType>(Ty);
  if (!Derived)
    return Ty->getName().str();
  std::string Base = typeName(Derived->getBaseType());
  switch (Derived->getTag()) {
  case dwarf::DW_TAG_const_type:
    return Base.ends_with('*') ? Base + " const" : "const " + Base;
  case dwarf::DW_TAG_volatile_type:
    return "volatile " + Base;
  case dwarf::DW_TAG_restrict_type:
  case dwarf::DW_TAG_member:
    return Base;
  case dwarf::DW_TAG_pointer_type:
    return Base.ends_with('*') ? Base + "*" : Base + " *";
  case dwarf::DW_TAG_reference_type:
    return Base + " &";
  case dwarf::DW_TAG_rvalue_reference_type:
    return Base + " &&";
  default:
    return Derived->getName().empty() ? Base : Derived->getName().str();
  }
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool gmprof::isTableOfCompiler(const Variable &V) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(V.Base);
  if (!Global)
    return false;
  bool OfLibdevice = Global->hasLocalLinkage() && Global->getName().starts_with("__cudart_");
  return OfLibdevice || (Global->isConstant() && Global->hasPrivateLinkage());
}

static void setFile(Variable &V, const DIFile *File, unsigned Line) {
  if (File)
    V.File = File->getFilename().str();
  V.Line = Line;
}

static Variable describeGlobal(const GlobalVariable &Global) {
  Variable V;
  const DataLayout &DL = Global.getDataLayout();
  Type *Ty = Global.getValueType();
  V.Name = variableNameFromSymbol(Global.getName());
  V.Symbol = Global.getName().str();
  V.ElementBytes = elementBytes(Ty, DL);
  V.Bytes = Ty->isSized() ? DL.getTypeAllocSize(Ty).getFixedValue() : 0;
  switch (spaceOfAddressSpace(Global.getAddressSpace())) {
  case GMPROF_SPACE_SHARED:
    V.Kind =
        isDynamicSharedMemory(&Global) ? GMPROF_VARIABLE_SHARED_DYNAMIC : GMPROF_VARIABLE_SHARED;
    break;
  case GMPROF_SPACE_CONSTANT:
    V.Kind = GMPROF_VARIABLE_CONSTANT;
    break;
  default:
    V.Kind = GMPROF_VARIABLE_GLOBAL;
  }
  SmallVector<DIGlobalVariableExpression *, 1> Expressions;
  Global.getDebugInfo(Expressions);
  if (!Expressions.empty()) {
    const DIGlobalVariable *DI = Expressions.front()->getVariable();
    V.Name = qualifiedName(DI->getScope(), DI->getName());
    V.Type = typeName(DI->getType());
    if (unsigned Bytes = elementBytes(DI->getType()))
      V.ElementBytes = Bytes;
    setFile(V, DI->getFile(), DI->getLine());
  }
  return V;
}

static const DILocalVariable *findLocalVariable(const llvm::Argument &Argument) {
  const Function &F = *Argument.getParent();
  const DISubprogram *SP = F.getSubprogram();
  if (!SP)
    return nullptr;
  for (const DINode *Node : SP->getRetainedNodes())
    if (auto *Local = dyn_cast<DILocalVariable>(Node))
      if (isKernel(F) && Local->getArg() == Argument.getArgNo() + 1)
        return Local;
  // Search for a debug record at the function's start, or for the parameter's alloca.
  for (const Instruction &I : F.getEntryBlock())
    for (const DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
      if (Record.getVariable()->getArg() && !Record.getDebugLoc()->getInlinedAt() &&
          is_contained(Record.location_ops(), &Argument))
        return Record.getVariable();
  for (const User *U : Argument.users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Argument)
      for (const DbgVariableRecord *Record :
           findDVRDeclares(const_cast<Value *>(Store->getPointerOperand())))
        if (Record->getVariable()->getArg())
          return Record->getVariable();
  return nullptr;
}

static Variable describeArgument(const llvm::Argument &Argument) {
  Variable V;
  V.Name = Argument.hasName() ? Argument.getName().str()
                              : "argument " + std::to_string(Argument.getArgNo() + 1);
  V.Kind = GMPROF_VARIABLE_PARAMETER;
  if (isKernel(*Argument.getParent()) && !Argument.hasByValAttr())
    V.Parameter = int(Argument.getArgNo());
  if (Type *Ty = Argument.getParamByValType()) {
    const DataLayout &DL = Argument.getParent()->getDataLayout();
    V.Bytes = DL.getTypeAllocSize(Ty).getFixedValue();
    V.ElementBytes = elementBytes(Ty, DL);
  }
  if (const DILocalVariable *DI = findLocalVariable(Argument)) {
    V.Name = DI->getName().str();
    V.Type = typeName(DI->getType());
    setFile(V, DI->getFile(), DI->getLine());
    auto *Pointer = dyn_cast_or_null<DIDerivedType>(stripTypedefs(DI->getType()));
    if (Pointer && !Argument.hasByValAttr() &&
        (Pointer->getTag() == dwarf::DW_TAG_pointer_type ||
         Pointer->getTag() == dwarf::DW_TAG_reference_type))
      V.ElementBytes = elementBytes(Pointer->getBaseType());
  }
  return V;
}

static Variable describeAlloca(const AllocaInst &Alloca) {
  Variable V;
  const DataLayout &DL = Alloca.getDataLayout();
  V.Name = Alloca.hasName() ? Alloca.getName().str() : "local memory";
  V.Kind = GMPROF_VARIABLE_LOCAL;
  V.ElementBytes = elementBytes(Alloca.getAllocatedType(), DL);
  if (auto Bytes = Alloca.getAllocationSize(DL); Bytes && !Bytes->isScalable())
    V.Bytes = Bytes->getFixedValue();
  auto *Base = const_cast<AllocaInst *>(&Alloca);
  SmallVector<DbgVariableRecord *> Records;
  append_range(Records, findDVRDeclares(Base));
  if (Records.empty()) // of code that clang optimises
    append_range(Records, at::getDVRAssignmentMarkers(Base));
  if (!Records.empty()) {
    const DILocalVariable *DI = Records.front()->getVariable();
    V.Name = DI->getName().str();
    V.Type = typeName(DI->getType());
    setFile(V, DI->getFile(), DI->getLine());
  }
  return V;
}

/// Returns the member at an offset of a struct type, and its name path.
static const DIDerivedType *findMember(const DIType *Ty, uint64_t OffsetInBits, std::string &Path) {
  auto *Struct = dyn_cast_or_null<DICompositeType>(stripTypedefs(Ty));
  if (!Struct)
    return nullptr;
  for (const DINode *Node : Struct->getElements()) {
    auto *Member = dyn_cast<DIDerivedType>(Node);
    if (!Member || Member->isStaticMember() || OffsetInBits < Member->getOffsetInBits() ||
        OffsetInBits >= Member->getOffsetInBits() + Member->getSizeInBits())
      continue;
    bool IsBase = Member->getTag() == dwarf::DW_TAG_inheritance;
    if (!IsBase && Member->getTag() != dwarf::DW_TAG_member)
      continue;
    if (!IsBase)
      Path += ("." + Member->getName()).str();
    uint64_t Rest = OffsetInBits - Member->getOffsetInBits();
    if (auto *Inner = findMember(Member->getBaseType(), Rest, Path))
      return Inner;
    return Rest == 0 ? Member : nullptr;
  }
  return nullptr;
}

/// Describes memory that a pointer inside a byval argument points to: p.data; p+8 without debug
/// information, or p if the pointer comes first.
static Variable describePointee(const llvm::Argument &Holder, uint64_t Offset) {
  Variable V = describeArgument(Holder);
  V.Bytes = 0;
  V.ElementBytes = 0;
  V.Parameter = int(Holder.getArgNo());
  V.ParameterOffset = Offset;
  const DILocalVariable *DI = findLocalVariable(Holder);
  std::string Path;
  if (auto *Member = DI ? findMember(DI->getType(), Offset * 8, Path) : nullptr) {
    V.Name += Path;
    V.Type = typeName(Member->getBaseType());
    auto *Pointer = dyn_cast_or_null<DIDerivedType>(stripTypedefs(Member->getBaseType()));
    if (Pointer && Pointer->getTag() == dwarf::DW_TAG_pointer_type)
      V.ElementBytes = elementBytes(Pointer->getBaseType());
  } else {
    if (Offset != 0)
      V.Name += "+" + std::to_string(Offset);
    V.Type.clear();
  }
  return V;
}

int VariableTable::indexOf(const Value *Base) {
  if (!Base)
    return -1;
  auto [It, IsNew] = Indices.try_emplace(Base, -1);
  if (!IsNew)
    return It->second;
  Variable V;
  if (auto *Global = dyn_cast<GlobalVariable>(Base)) {
    V = describeGlobal(*Global);
  } else if (auto *Argument = dyn_cast<llvm::Argument>(Base)) {
    V = describeArgument(*Argument);
  } else if (auto *Alloca = dyn_cast<AllocaInst>(Base)) {
    V = describeAlloca(*Alloca);
  } else if (auto *Load = dyn_cast<LoadInst>(Base)) {
    // Loads of the same pointer share a variable.
    const DataLayout &DL = Load->getDataLayout();
    const Value *Pointer = Load->getPointerOperand();
    APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
    auto *Holder = dyn_cast<llvm::Argument>(
        Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true));
    if (!Holder)
      return -1;
    auto [Member, IsNewMember] = Members.try_emplace({Holder, Offset.getZExtValue()}, -1);
    if (!IsNewMember)
      return It->second = Member->second;
    V = describePointee(*Holder, Offset.getZExtValue());
    Member->second = Variables.size();
  } else {
    return -1;
  }
  V.Base = Base;
  Variables.push_back(std::move(V));
  return It->second = Variables.size() - 1;
}

void VariableTable::noteAccess(int Index, unsigned Bytes) {
  if (Index < 0 || !Bytes)
    return;
  Variable &V = Variables[Index];
  // PTX declares arrays of any type as bytes.
  bool IsBytes = V.ElementBytes <= 1 && V.Type.empty();
  bool TypeSaysNothing = (V.Kind == GMPROF_VARIABLE_SHARED_DYNAMIC && V.ElementBytes <= 1) ||
                         (V.Kind == GMPROF_VARIABLE_SHARED && IsBytes && V.Bytes % Bytes == 0) ||
                         (V.Kind == GMPROF_VARIABLE_PARAMETER && V.Type.empty() && V.Bytes == 0);
  if (!TypeSaysNothing)
    return;
  unsigned &Narrowest = NarrowestAccess[Index];
  Narrowest = Narrowest ? std::min(Narrowest, Bytes) : Bytes;
}

void VariableTable::finish() {
  for (auto [Index, Bytes] : NarrowestAccess)
    Variables[Index].ElementBytes = Bytes;
}
