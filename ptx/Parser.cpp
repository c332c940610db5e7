//===- Parser.cpp - Parser of PTX modules ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace llvm;

namespace gmprof::ptx {
namespace {

constexpr unsigned MaxBlockDepth = 256;
constexpr unsigned MaxOperandDepth = 8;
constexpr unsigned MaxRegisters = 1 << 22; ///< of a module
constexpr uint64_t MaxVariableBytes = uint64_t(1) << 40;

/// A block { … } of a function, in which names are declared.
struct Scope {
  unsigned Parent = 0;
  struct Entity {
    Operand::Kind K;
    unsigned Index;
  };
  StringMap<Entity> Names; ///< registers and variables
  struct Range {
    unsigned First, Count;
  };
  StringMap<Range> Ranges; ///< %r<20>: %r → its registers
  StringMap<unsigned> Labels;
};

/// Recursive descent. As in LLVM's parsers, functions return true after an error.
class Parser {
public:
  Parser(StringRef Text, StringRef File) : L(Text), File(File) { advance(); }

  Expected<Module> run() {
    if (module() || resolveLines())
      return createStringError(Message);
    return std::move(M);
  }

private:
  // Tokens.
  void advance() {
    PreviousEnd = T.End;
    T = L.next();
  }
  bool error(Position At, const Twine &What) {
    if (Message.empty())
      Message = (File + ":" + Twine(At.Line) + ":" + Twine(At.Column) + ": " + What).str();
    return true;
  }
  /// Reports that the current token is not what the grammar requires.
  bool expected(const Twine &What) {
    if (T.K == Token::Kind::Invalid)
      return error(T.At, T.Text);
    std::string Found =
        T.K == Token::Kind::End ? "the end of the file" : "'" + std::string(T.Begin, T.End) + "'";
    if (Found.size() > 60)
      Found = Found.substr(0, 57) + "…'";
    return error(T.At, "expected " + What + ", found " + Found);
  }
  bool expect(char C, const Twine &Where) {
    if (!T.is(C))
      return expected("'" + Twine(C) + "' " + Where);
    advance();
    return false;
  }
  bool accept(char C) {
    if (!T.is(C))
      return false;
    advance();
    return true;
  }
  bool isName(StringRef Name) const { return T.K == Token::Kind::Name && T.Text == Name; }
  bool identifier(StringRef &Name, const Twine &What) {
    if (T.K != Token::Kind::Identifier)
      return expected(What);
    Name = T.Text;
    advance();
    return false;
  }
  bool unsignedNumber(unsigned &Value, const Twine &What) {
    if (T.K != Token::Kind::Integer || T.Bits > UINT32_MAX)
      return expected(What);
    Value = T.Bits;
    advance();
    return false;
  }

  // The module.
  bool module();
  bool version();
  bool file();
  bool section();
  bool declaration();
  bool parenthesised();

  // Variables and functions.
  bool variables(Space In, Linkage Link, std::vector<Variable> &Out);
  bool variableType(Variable &V);
  bool variableName(Variable &V, SmallVectorImpl<uint64_t> &Dimensions);
  bool initialiser(Variable &V, ArrayRef<uint64_t> Dimensions, unsigned Level, uint64_t &Element);
  bool initialiserValue(Initialiser &I);
  bool parameters(std::vector<Variable> &Out, const Twine &What);
  bool function(bool Entry, Linkage Link);
  bool functionDirectives();

  // Bodies.
  bool body();
  bool directive();
  bool registers();
  bool location();
  bool label(StringRef Name, Position At);
  bool instruction(StringRef Opcode, Position At);
  bool operand(Operand &O, unsigned Depth);
  bool primary(Operand &O, unsigned Depth);
  bool named(Operand &O);
  bool operands(std::vector<Operand> &Out, char Close, unsigned Depth, const Twine &What);
  bool offset(Operand &O);
  bool declare(StringRef Name, Scope::Entity E, Position At);
  bool lookUp(StringRef Name, Operand &O) const;
  bool resolveLabels();
  bool resolveLabels(Operand &O, Position At);
  bool resolveLines();

  Lexer L;
  Token T;
  const char *PreviousEnd = nullptr;
  StringRef File;
  std::string Message;
  Module M;
  StringMap<std::string> DebugStrings; ///< label in .debug_str → string

  Function F; ///< being parsed
  std::vector<Scope> Scopes;
  unsigned Current = 0; ///< index of the innermost block's scope
  unsigned Depth = 0;
  unsigned RegisterCount = 0;
  bool PendingNoUnroll = false;
  int CurrentLine = -1;
};

bool Parser::module() {
  if (!isName("version"))
    return expected("'.version' at the beginning");
  while (T.K != Token::Kind::End) {
    if (T.K != Token::Kind::Name)
      return expected("a directive");
    if (isName("version")) {
      if (version())
        return true;
    } else if (isName("target")) {
      advance();
      if (identifier(M.Target, "a target such as sm_90"))
        return true;
      StringRef Option; // debug, texmode_independent
      while (accept(','))
        if (identifier(Option, "an option of the target"))
          return true;
    } else if (isName("address_size")) {
      advance();
      if (unsignedNumber(M.AddressSize, "32 or 64"))
        return true;
      if (M.AddressSize != 64)
        return error(T.At, "only modules with 64-bit addresses are supported");
    } else if (isName("file")) {
      if (file())
        return true;
    } else if (isName("section")) {
      if (section())
        return true;
    } else if (isName("pragma")) {
      while (T.K != Token::Kind::End && !T.is(';'))
        advance();
      if (expect(';', "after .pragma"))
        return true;
    } else if (isName("alias")) {
      advance();
      StringRef Alias, Aliasee;
      if (identifier(Alias, "the name of the alias") || expect(',', "after the alias") ||
          identifier(Aliasee, "the name of a function") || expect(';', "after .alias"))
        return true;
      M.Aliases.push_back({Alias, Aliasee});
    } else if (declaration()) {
      return true;
    }
  }
  if (M.Target.empty())
    return expected("'.target'");
  return false;
}

bool Parser::version() {
  advance();
  StringRef Major, Minor;
  std::tie(Major, Minor) = T.Text.split('.');
  unsigned A = 0, B = 0;
  if (T.K != Token::Kind::Float || Major.getAsInteger(10, A) || Minor.getAsInteger(10, B) ||
      A > 99 || B > 9)
    return expected("a version such as 8.7");
  M.VersionText = T.Text;
  M.Version = 10 * A + B;
  advance();
  return false;
}

/// Reads .file 1 "name" or .file 1 "folder" "name", maybe with time and size.
bool Parser::file() {
  advance();
  unsigned Number = 0;
  if (unsignedNumber(Number, "the number of the file"))
    return true;
  if (T.K != Token::Kind::String)
    return expected("the name of the file");
  std::string Path = T.Text.str();
  advance();
  if (T.K == Token::Kind::String) {
    Path += "/" + T.Text.str();
    advance();
  }
  unsigned Ignored = 0;
  while (accept(','))
    if (unsignedNumber(Ignored, "the time or size of the file"))
      return true;
  M.Files[Number] = Path;
  return false;
}

/// Skips a section of debug information, except the strings that .loc refers to.
bool Parser::section() {
  advance();
  bool Strings = isName("debug_str");
  if (T.K != Token::Kind::Name && T.K != Token::Kind::Identifier)
    return expected("the name of the section");
  advance();
  if (expect('{', "at the beginning of the section"))
    return true;
  StringRef Label;
  while (!T.is('}')) {
    if (T.K == Token::Kind::End || T.K == Token::Kind::Invalid || T.is('{'))
      return expected("'}' at the end of the section");
    Token First = T;
    advance();
    if (Strings && First.K == Token::Kind::Identifier && T.is(':'))
      Label = First.Text;
    else if (Strings && First.K == Token::Kind::Integer && First.Bits && !Label.empty())
      DebugStrings[Label].push_back(char(First.Bits));
  }
  advance();
  return false;
}

/// Skips ( … ).
bool Parser::parenthesised() {
  if (expect('(', "after the attribute"))
    return true;
  unsigned Open = 1;
  while (Open) {
    if (T.K == Token::Kind::End || T.K == Token::Kind::Invalid)
      return expected("')' at the end of the attribute");
    Open += T.is('(') ? 1 : 0;
    Open -= T.is(')') ? 1 : 0;
    advance();
  }
  return false;
}

bool Parser::declaration() {
  Linkage Link = Linkage::Internal;
  for (; T.K == Token::Kind::Name; advance()) {
    if (T.Text == "extern")
      Link = Linkage::Extern;
    else if (T.Text == "visible")
      Link = Linkage::Visible;
    else if (T.Text == "weak")
      Link = Linkage::Weak;
    else if (T.Text == "common")
      Link = Linkage::Common;
    else
      break;
  }
  if (isName("entry") || isName("func")) {
    bool Entry = isName("entry");
    advance();
    return function(Entry, Link);
  }
  std::optional<Space> In = T.K == Token::Kind::Name ? spaceNamed(T.Text) : std::nullopt;
  if (!In || *In == Space::Local || *In == Space::Param)
    return expected("a directive of a module");
  advance();
  return variables(*In, Link, M.Variables);
}

//===--- Variables --------------------------------------------------------===//

/// Reads .align 4 .v2 .b32 and attributes, up to the name.
bool Parser::variableType(Variable &V) {
  bool Typed = false;
  unsigned Vector = 1;
  while (T.K == Token::Kind::Name) {
    if (T.Text == "align") {
      advance();
      unsigned Align = 0;
      if (T.K == Token::Kind::Integer && !isPowerOf2_64(T.Bits))
        return expected("a power of two");
      if (unsignedNumber(Align, "a power of two"))
        return true;
      V.Align = Align;
      continue;
    }
    if (T.Text == "attribute") {
      advance();
      if (parenthesised())
        return true;
      continue;
    }
    if (T.Text == "v2" || T.Text == "v4" || T.Text == "v8") {
      Vector = T.Text[1] - '0';
    } else if (T.Text == "ptr" || spaceNamed(T.Text)) {
      // .ptr .global: what the parameter points to, which the driver does not use.
    } else if (std::optional<Type> Ty = typeNamed(T.Text)) {
      if (Ty->Kind == TypeKind::Predicate)
        return expected("a type with a size in memory");
      V.Ty = *Ty;
      Typed = true;
    } else {
      return expected("a type");
    }
    advance();
  }
  if (!Typed)
    return expected("a type");
  if (Vector > 1) {
    V.Array = true;
    V.Count = Vector;
    if (!V.Align)
      V.Align = uint64_t(Vector) * V.Ty.bytes();
  }
  return false;
}

/// Reads a name and its dimensions: tile[16][17].
bool Parser::variableName(Variable &V, SmallVectorImpl<uint64_t> &Dimensions) {
  V.At = T.At;
  if (identifier(V.Name, "the name of a variable"))
    return true;
  while (T.is('[')) {
    if (Dimensions.size() == MaxOperandDepth)
      return expected("at most " + Twine(MaxOperandDepth) + " dimensions");
    advance();
    uint64_t Size = 0;
    if (T.K == Token::Kind::Integer) {
      Size = T.Bits;
      advance();
    } else if (!Dimensions.empty()) {
      return expected("the size of the dimension");
    }
    if (expect(']', "after the size"))
      return true;
    Dimensions.push_back(Size);
  }
  uint64_t Count = V.Count;
  for (uint64_t Size : Dimensions) {
    bool Overflow = false;
    Count = SaturatingMultiply(Count, Size, &Overflow);
    if (Overflow || Count > MaxVariableBytes)
      return error(V.At, "expected at most 2^40 elements in '" + V.Name + "'");
  }
  V.Array |= !Dimensions.empty();
  V.Count = Count;
  return false;
}

bool Parser::initialiserValue(Initialiser &I) {
  I.At = T.At;
  bool Minus = accept('-');
  if (T.K == Token::Kind::Integer || T.K == Token::Kind::Float) {
    I.Bits = T.Bits;
    I.FloatWidth = T.FloatWidth;
    advance();
    if (!I.FloatWidth && T.is('(')) { // a mask
      advance();
      I.Mask = I.Bits;
      I.Bits = 0;
      if (T.K != Token::Kind::Identifier)
        return expected("the name of a variable or function");
      return initialiserValue(I) || expect(')', "after the masked address");
    }
    if (Minus)
      I.Bits = I.FloatWidth ? I.Bits ^ (uint64_t(1) << (I.FloatWidth - 1)) : 0 - I.Bits;
    return false;
  }
  if (Minus || identifier(I.Symbol, "a value"))
    return expected("a number");
  if (I.Symbol == "generic" && T.is('(')) {
    advance();
    I.Generic = true;
    if (identifier(I.Symbol, "the name of a variable"))
      return true;
    if (accept('+')) {
      I.Bits = T.Bits;
      if (T.K != Token::Kind::Integer)
        return expected("an offset");
      advance();
    }
    if (expect(')', "after generic"))
      return true;
  }
  if (T.is('+') || T.is('-')) {
    bool Negative = T.is('-');
    advance();
    if (T.K != Token::Kind::Integer)
      return expected("an offset");
    I.Bits += Negative ? 0 - T.Bits : T.Bits;
    advance();
  }
  return false;
}

/// Reads a value or { … }. Element is where its first element is; afterwards, where the next is.
bool Parser::initialiser(Variable &V, ArrayRef<uint64_t> Dimensions, unsigned Level,
                         uint64_t &Element) {
  if (!T.is('{')) {
    Initialiser I;
    if (initialiserValue(I))
      return true;
    I.Element = Element++;
    V.Values.push_back(I);
    return false;
  }
  if (Level > MaxOperandDepth)
    return expected("at most " + Twine(MaxOperandDepth) + " nested braces in an initialiser");
  advance();
  uint64_t Begin = Element;
  while (!T.is('}')) {
    if (initialiser(V, Dimensions, Level + 1, Element))
      return true;
    if (!accept(','))
      break;
  }
  if (expect('}', "at the end of the initialiser"))
    return true;
  if (Level > 0) {
    uint64_t Stride = 1;
    for (uint64_t Size : Dimensions.drop_front(std::min<size_t>(Level, Dimensions.size())))
      Stride *= Size; // at most MaxVariableBytes
    Element = std::max(Element, Begin + Stride);
  }
  return false;
}

bool Parser::variables(Space In, Linkage Link, std::vector<Variable> &Out) {
  Variable V;
  V.In = In;
  V.Link = Link;
  if (variableType(V))
    return true;
  do {
    Variable Each = V;
    SmallVector<uint64_t, 4> Dimensions;
    if (variableName(Each, Dimensions))
      return true;
    if (accept('=')) {
      Each.Initialised = true;
      uint64_t Element = 0;
      if (initialiser(Each, Dimensions, 0, Element))
        return true;
      if (Each.Array && !Each.Count)
        Each.Count = Element;
      if (Element > Each.Count)
        return error(Each.At,
                     "expected at most " + Twine(Each.Count) + " values for '" + Each.Name + "'");
    }
    Out.push_back(std::move(Each));
  } while (accept(','));
  return expect(';', "after the declaration");
}

/// Reads (.param .u64 name, …); a prototype's names are _.
bool Parser::parameters(std::vector<Variable> &Out, const Twine &What) {
  if (expect('(', "before " + What))
    return true;
  while (!T.is(')')) {
    if (!isName("param"))
      return expected("'.param' of " + What);
    advance();
    Variable V;
    SmallVector<uint64_t, 2> Dimensions;
    if (variableType(V) || variableName(V, Dimensions))
      return true;
    Out.push_back(V);
    if (!accept(','))
      break;
  }
  return expect(')', "after " + What);
}

//===--- Functions --------------------------------------------------------===//

/// Reads .maxntid 256, 1, 1 and other directives between a function's parameters and its body.
bool Parser::functionDirectives() {
  while (T.K == Token::Kind::Name) {
    std::string Name = T.Text.str();
    advance();
    if (Name == "pragma") {
      while (T.K != Token::Kind::End && !T.is(';'))
        advance();
      if (expect(';', "after .pragma"))
        return true;
      continue;
    }
    if (Name == "attribute" || Name == "unified") {
      if (T.is('(') && parenthesised())
        return true;
      continue;
    }
    bool Known = StringSwitch<bool>(Name)
                     .Cases({"maxntid", "reqntid", "minnctapersm", "maxnctapersm", "maxnreg"}, true)
                     .Cases({"reqnctapercluster", "maxclusterrank", "explicitcluster"}, true)
                     .Cases({"blocksareclusters", "noreturn", "abi_preserve"}, true)
                     .Cases({"abi_preserve_control"}, true)
                     .Default(false);
    if (!Known)
      return error(T.At, "expected a directive of a function, found '." + Name + "'");
    std::vector<unsigned> &Values = F.Directives[Name];
    Values.clear();
    while (T.K == Token::Kind::Integer) {
      unsigned Value = 0;
      if (unsignedNumber(Value, "a number"))
        return true;
      Values.push_back(Value);
      if (!accept(','))
        break;
    }
  }
  return false;
}

bool Parser::function(bool Entry, Linkage Link) {
  F = Function();
  F.Entry = Entry;
  F.Link = Link;
  F.At = T.At;
  while (isName("attribute") || isName("noreturn")) {
    bool Attribute = isName("attribute");
    advance();
    if (Attribute && parenthesised())
      return true;
  }
  if (!Entry && T.is('(') && parameters(F.Sig.Results, "the results"))
    return true;
  if (F.Sig.Results.size() > 1)
    return error(F.At, "expected at most one result");
  F.At = T.At;
  if (identifier(F.Name, "the name of a function"))
    return true;
  if (T.is('(') && parameters(F.Sig.Params, "the parameters"))
    return true;
  if (functionDirectives())
    return true;
  F.NoReturn = F.Directives.count("noreturn");
  if (accept(';')) {
    M.Functions.push_back(std::move(F));
    return false;
  }
  if (!T.is('{'))
    return expected("'{' or ';' after the function's head");
  F.Defined = true;
  if (body())
    return true;
  M.Functions.push_back(std::move(F));
  return false;
}

bool Parser::declare(StringRef Name, Scope::Entity E, Position At) {
  if (!Scopes[Current].Names.try_emplace(Name, E).second)
    return error(At, "expected a new name, found a second declaration of '" + Name + "'");
  return false;
}

bool Parser::body() {
  Scopes.assign(1, Scope());
  Current = 0;
  Depth = 0;
  PendingNoUnroll = false;
  CurrentLine = -1;
  for (const std::vector<Variable> *List : {&F.Sig.Results, &F.Sig.Params})
    for (const Variable &V : *List) {
      if (declare(V.Name, {Operand::Kind::Variable, unsigned(F.Variables.size())}, V.At))
        return true;
      F.Variables.push_back(V);
    }
  advance();
  while (true) {
    if (T.is('{')) {
      if (++Depth == MaxBlockDepth)
        return expected("at most " + Twine(MaxBlockDepth) + " nested blocks");
      Scopes.emplace_back();
      Scopes.back().Parent = Current;
      Current = Scopes.size() - 1;
      advance();
    } else if (T.is('}')) {
      advance();
      if (!Depth)
        return resolveLabels();
      --Depth;
      Current = Scopes[Current].Parent;
    } else if (T.K == Token::Kind::Name) {
      if (directive())
        return true;
    } else if (T.is(';')) {
      advance();
    } else if (T.is('@')) {
      Position At = T.At;
      advance();
      Operand Guard;
      Guard.Negated = accept('!');
      if (T.K != Token::Kind::Identifier)
        return expected("a predicate register");
      if (!lookUp(T.Text, Guard) || !Guard.isRegister() ||
          F.Registers[Guard.Index].Kind != TypeKind::Predicate)
        return expected("a predicate register");
      advance();
      StringRef Opcode;
      if (identifier(Opcode, "an instruction"))
        return true;
      if (instruction(Opcode, At))
        return true;
      F.Instructions.back().Guard = Guard;
    } else if (T.K == Token::Kind::Identifier) {
      StringRef Name = T.Text;
      Position At = T.At;
      advance();
      if (T.is(':') ? label(Name, At) : instruction(Name, At))
        return true;
    } else {
      return expected("an instruction, a directive or '}'");
    }
  }
}

bool Parser::label(StringRef Name, Position At) {
  advance();
  if (!Scopes[Current].Labels.try_emplace(Name, F.Labels.size()).second)
    return error(At, "expected a new label, found a second '" + Name + "'");
  Label New;
  New.Name = Name;
  if (isName("callprototype")) {
    advance();
    Signature S;
    if (T.is('(') && parameters(S.Results, "the results"))
      return true;
    StringRef Ignored;
    if (identifier(Ignored, "'_'"))
      return true;
    if (T.is('(') && parameters(S.Params, "the parameters"))
      return true;
    while (T.K == Token::Kind::Name) { // .noreturn, .abi_preserve 8
      advance();
      if (T.K == Token::Kind::Integer)
        advance();
    }
    if (expect(';', "after .callprototype"))
      return true;
    if (S.Results.size() > 1)
      return error(At, "expected at most one result");
    New.Prototype = std::move(S);
  } else if (isName("branchtargets") || isName("calltargets")) {
    advance();
    New.Targets.emplace();
    if (operands(*New.Targets, ';', 0, "the targets"))
      return true;
  } else {
    New.NoUnroll = PendingNoUnroll;
    PendingNoUnroll = false;
    F.Body.push_back({true, unsigned(F.Labels.size())});
  }
  F.Labels.push_back(std::move(New));
  return false;
}

/// Reads a directive in a body.
bool Parser::directive() {
  if (isName("reg"))
    return registers();
  if (isName("loc"))
    return location();
  if (isName("file"))
    return file();
  if (isName("pragma")) {
    advance();
    bool NoUnroll = T.K == Token::Kind::String && T.Text == "nounroll";
    while (T.K == Token::Kind::String) {
      advance();
      if (!accept(','))
        break;
    }
    if (NoUnroll && !F.Body.empty() && F.Body.back().IsLabel)
      F.Labels[F.Body.back().Index].NoUnroll = true;
    else if (NoUnroll)
      PendingNoUnroll = true;
    return expect(';', "after .pragma");
  }
  Linkage Link = Linkage::Internal;
  if (isName("extern")) {
    Link = Linkage::Extern;
    advance();
  }
  std::optional<Space> In = T.K == Token::Kind::Name ? spaceNamed(T.Text) : std::nullopt;
  if (!In)
    return expected("a directive of a function");
  advance();
  size_t First = F.Variables.size();
  if (variables(*In, Link, F.Variables))
    return true;
  for (size_t I = First; I < F.Variables.size(); ++I)
    if (declare(F.Variables[I].Name, {Operand::Kind::Variable, unsigned(I)}, F.Variables[I].At))
      return true;
  return false;
}

/// Reads .reg .b32 %r<20>, %a, %b;
bool Parser::registers() {
  advance();
  std::optional<Type> Ty = T.K == Token::Kind::Name ? typeNamed(T.Text) : std::nullopt;
  if (!Ty)
    return expected("the type of a register");
  advance();
  do {
    StringRef Name;
    Position At = T.At;
    if (identifier(Name, "the name of a register"))
      return true;
    unsigned Count = 1, First = F.Registers.size();
    bool Range = accept('<');
    if (Range && (unsignedNumber(Count, "the number of registers") ||
                  expect('>', "after the number of registers")))
      return true;
    if (Count > MaxRegisters - RegisterCount)
      return error(At, "expected at most " + Twine(MaxRegisters) + " registers in a module");
    RegisterCount += Count;
    F.Registers.resize(First + Count, *Ty);
    if (!Range) {
      if (declare(Name, {Operand::Kind::Register, First}, At))
        return true;
    } else if (!Scopes[Current].Ranges.try_emplace(Name, Scope::Range{First, Count}).second) {
      return error(At, "expected a new name, found a second declaration of '" + Name + "'");
    }
  } while (accept(','));
  return expect(';', "after the registers");
}

/// Reads .loc 1 20 3, function_name $L__info_string0, inlined_at 1 30 5
bool Parser::location() {
  SourceLine S;
  S.At = T.At;
  advance();
  if (unsignedNumber(S.File, "the number of a file") ||
      unsignedNumber(S.Line, "the number of a line") ||
      unsignedNumber(S.Column, "the number of a column"))
    return true;
  while (accept(',')) {
    StringRef What;
    if (identifier(What, "'function_name' or 'inlined_at'"))
      return true;
    if (What == "function_name") {
      StringRef Name;
      if (identifier(Name, "a label of .debug_str"))
        return true;
      S.Function = Name.str();
      if (accept('+')) {
        unsigned Bytes = 0;
        if (unsignedNumber(Bytes, "an offset"))
          return true;
        S.Function += "+" + utostr(Bytes);
      }
    } else if (What == "inlined_at") {
      S.Inlined = true;
      if (unsignedNumber(S.AtFile, "the number of a file") ||
          unsignedNumber(S.AtLine, "the number of a line") ||
          unsignedNumber(S.AtColumn, "the number of a column"))
        return true;
    } else {
      return error(T.At, "expected 'function_name' or 'inlined_at', found '" + What + "'");
    }
  }
  CurrentLine = F.Lines.size();
  F.Lines.push_back(std::move(S));
  return false;
}

//===--- Instructions -----------------------------------------------------===//

bool Parser::instruction(StringRef Opcode, Position At) {
  Instruction I;
  I.Opcode = Opcode;
  I.At = At;
  I.Line = CurrentLine;
  if (!isLower(Opcode[0]))
    return error(At, "expected an instruction, found '" + Opcode + "'");
  for (; T.K == Token::Kind::Name; advance())
    I.Modifiers.push_back(T.Text);
  if (operands(I.Operands, ';', 0, "the operands of '" + Opcode + "'"))
    return true;
  F.Body.push_back({false, unsigned(F.Instructions.size())});
  F.Instructions.push_back(std::move(I));
  return false;
}

/// Reads operands up to Close, which is read too.
bool Parser::operands(std::vector<Operand> &Out, char Close, unsigned Depth, const Twine &What) {
  while (!T.is(Close)) {
    Out.emplace_back();
    if (operand(Out.back(), Depth))
      return true;
    if (!accept(','))
      break;
  }
  return expect(Close, "after " + What);
}

bool Parser::operand(Operand &O, unsigned Depth) {
  if (Depth > MaxOperandDepth)
    return expected("operands nested at most " + Twine(MaxOperandDepth) + " deep");
  if (primary(O, Depth))
    return true;
  if (T.is('|')) {
    advance();
    Operand Pair;
    Pair.K = Operand::Kind::Pair;
    Pair.Parts.resize(2);
    Pair.Parts[0] = std::move(O);
    if (primary(Pair.Parts[1], Depth))
      return true;
    O = std::move(Pair);
  }
  return false;
}

/// Reads +4, -4, +-4 after a name, if there is one.
bool Parser::offset(Operand &O) {
  while (T.is('+') || T.is('-')) {
    bool Negative = T.is('-');
    advance();
    if (T.is('-')) {
      Negative = !Negative;
      advance();
    }
    if (T.K != Token::Kind::Integer)
      return expected("an offset");
    O.Bits += Negative ? 0 - T.Bits : T.Bits;
    advance();
  }
  return false;
}

bool Parser::primary(Operand &O, unsigned Depth) {
  if (accept('{')) {
    O.K = Operand::Kind::Vector;
    return operands(O.Parts, '}', Depth + 1, "the vector");
  }
  if (accept('(')) {
    O.K = Operand::Kind::List;
    return operands(O.Parts, ')', Depth + 1, "the list");
  }
  if (accept('[')) {
    O.K = Operand::Kind::Address;
    O.Parts.emplace_back();
    if (operand(O.Parts[0], Depth + 1) || offset(O))
      return true;
    // An offset that named() has read with a symbol belongs to the address.
    Operand &Base = O.Parts[0];
    if (Base.K == Operand::Kind::Symbol || Base.K == Operand::Kind::Variable) {
      O.Bits += Base.Bits;
      Base.Bits = 0;
    }
    if (accept(','))
      return operands(O.Parts, ']', Depth + 1, "the address");
    return expect(']', "after the address");
  }
  if (accept('!'))
    O.Negated = true;
  if (T.K == Token::Kind::Identifier)
    return named(O);
  bool Minus = accept('-');
  if (T.K != Token::Kind::Integer && T.K != Token::Kind::Float)
    return expected("an operand");
  O.Name = T.Text;
  O.Bits = T.Bits;
  O.FloatWidth = T.FloatWidth;
  O.K = T.K == Token::Kind::Float ? Operand::Kind::Float : Operand::Kind::Integer;
  if (Minus)
    O.Bits = O.FloatWidth ? O.Bits ^ (uint64_t(1) << (O.FloatWidth - 1)) : 0 - O.Bits;
  advance();
  return false;
}

/// Finds a register or local variable. Returns false if there is none.
bool Parser::lookUp(StringRef Name, Operand &O) const {
  StringRef Prefix = Name.rtrim("0123456789");
  StringRef Digits = Name.drop_front(Prefix.size());
  for (unsigned S = Current;; S = Scopes[S].Parent) {
    auto Found = Scopes[S].Names.find(Name);
    if (Found != Scopes[S].Names.end()) {
      O.K = Found->second.K;
      O.Index = Found->second.Index;
      O.Name = Name;
      return true;
    }
    // %r10<5> declares %r100 … %r104.
    size_t MaxDigits = utostr(MaxRegisters).size();
    for (size_t Taken = Digits.size() - std::min(Digits.size(), MaxDigits); Taken < Digits.size();
         ++Taken) {
      auto Range = Scopes[S].Ranges.find(Name.take_front(Prefix.size() + Taken));
      StringRef Rest = Digits.drop_front(Taken);
      unsigned Number = 0;
      if (Range == Scopes[S].Ranges.end() || Rest.getAsInteger(10, Number) ||
          (Rest.size() > 1 && Rest[0] == '0') || Number >= Range->second.Count)
        continue;
      O.K = Operand::Kind::Register;
      O.Index = Range->second.First + Number;
      O.Name = Name;
      return true;
    }
    if (!S)
      return false;
  }
}

static bool isSpecialRegister(StringRef Name) {
  return StringSwitch<bool>(Name.drop_front().rtrim("0123456789"))
             .Cases({"tid", "ntid", "laneid", "warpid", "nwarpid", "ctaid", "nctaid"}, true)
             .Cases({"smid", "nsmid", "gridid", "clusterid", "nclusterid"}, true)
             .Cases({"is_explicit_cluster", "cluster_ctaid", "cluster_nctaid"}, true)
             .Cases({"cluster_ctarank", "cluster_nctarank", "clock", "clock_hi", "pm"}, true)
             .Cases({"envreg", "globaltimer", "globaltimer_lo", "globaltimer_hi"}, true)
             .Cases({"total_smem_size", "aggr_smem_size", "dynamic_smem_size"}, true)
             .Cases({"current_graph_exec"}, true)
             .Default(false) ||
         Name.starts_with("%lanemask_") || Name.starts_with("%reserved_smem_offset_") ||
         Name.starts_with("%pm");
}

bool Parser::named(Operand &O) {
  O.Name = T.Text;
  O.Scope = Current;
  Position At = T.At;
  const char *Begin = T.Begin;
  bool Known = lookUp(T.Text, O);
  advance();
  if (T.K == Token::Kind::Name && T.Adjacent && T.Text.size() <= 2) {
    O.Selector = T.Text;
    advance();
  }
  if (O.Name == "_")
    O.K = Operand::Kind::Sink;
  else if (!Known && O.Name.starts_with("%")) {
    if (!isSpecialRegister(O.Name))
      return error(At, "expected a declared register, found '" + O.Name + "'");
    O.K = Operand::Kind::Special;
    O.Name = StringRef(Begin, PreviousEnd - Begin);
    O.Selector = {};
  } else if (!Known && O.Name == "WARP_SZ") {
    O.K = Operand::Kind::Integer;
    O.Bits = 32;
  } else if (!Known) {
    O.K = Operand::Kind::Symbol;
  }
  if (O.K == Operand::Kind::Symbol || O.K == Operand::Kind::Variable)
    return offset(O);
  return false;
}

bool Parser::resolveLabels(Operand &O, Position At) {
  for (Operand &Part : O.Parts)
    if (resolveLabels(Part, At))
      return true;
  if (O.K != Operand::Kind::Symbol)
    return false;
  for (unsigned S = O.Scope;; S = Scopes[S].Parent) {
    auto Found = Scopes[S].Labels.find(O.Name);
    if (Found != Scopes[S].Labels.end()) {
      O.K = Operand::Kind::Label;
      O.Index = Found->second;
      return false;
    }
    if (!S)
      return false;
  }
}

/// Turns symbols that are labels, of an enclosing block, into labels.
bool Parser::resolveLabels() {
  for (Instruction &I : F.Instructions)
    for (Operand &O : I.Operands)
      if (resolveLabels(O, I.At))
        return true;
  for (Label &L : F.Labels)
    if (L.Targets)
      for (Operand &O : *L.Targets)
        if (resolveLabels(O, F.At))
          return true;
  return false;
}

/// Finds files, and names in .debug_str, that lines refer to: these may follow the functions.
bool Parser::resolveLines() {
  for (Function &Each : M.Functions)
    for (SourceLine &S : Each.Lines) {
      if (S.Line && !M.Files.count(S.File))
        return error(S.At, "expected a file that .file declares, found number " + Twine(S.File));
      auto [Label, Offset] = StringRef(S.Function).split('+');
      size_t Bytes = 0;
      auto Found = DebugStrings.find(Label);
      if (Found != DebugStrings.end() && (Offset.empty() || !Offset.getAsInteger(10, Bytes)))
        S.Function = Found->second.substr(std::min(Bytes, Found->second.size()));
    }
  return false;
}

} // namespace

Expected<Module> parse(StringRef Text, StringRef File) {
  if (Text.size() > UINT32_MAX)
    return createStringError(File + ": the file is larger than 4 GiB");
  return Parser(Text, File).run();
}

} // namespace gmprof::ptx
