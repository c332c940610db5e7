//===- Parser.cpp - Parser of inline PTX ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent. Registers are resolved immediately, because PTX declares before use; labels at
// the end, because branches may go forward.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "Syntax.h"

#include <map>
#include <utility>

using namespace gmprof::cpu::ptx;

std::optional<Type> gmprof::cpu::ptx::typeNamed(std::string_view Name) {
  using K = TypeKind;
  static constexpr Type Types[] = {
      {K::Bits, 1, 1, "b1"},        {K::Bits, 8, 1, "b8"},         {K::Bits, 16, 1, "b16"},
      {K::Bits, 32, 1, "b32"},      {K::Bits, 64, 1, "b64"},       {K::Bits, 128, 1, "b128"},
      {K::Unsigned, 8, 1, "u8"},    {K::Unsigned, 16, 1, "u16"},   {K::Unsigned, 32, 1, "u32"},
      {K::Unsigned, 64, 1, "u64"},  {K::Unsigned, 16, 2, "u16x2"}, {K::Signed, 8, 1, "s8"},
      {K::Signed, 16, 1, "s16"},    {K::Signed, 32, 1, "s32"},     {K::Signed, 64, 1, "s64"},
      {K::Signed, 16, 2, "s16x2"},  {K::Float, 16, 1, "f16"},      {K::Float, 16, 2, "f16x2"},
      {K::Float, 32, 1, "f32"},     {K::Float, 32, 2, "f32x2"},    {K::Float, 64, 1, "f64"},
      {K::BFloat, 16, 1, "bf16"},   {K::BFloat, 16, 2, "bf16x2"},  {K::Pred, 1, 1, "pred"},
      {K::TF32, 32, 1, "tf32"},     {K::Narrow, 8, 2, "e4m3x2"},   {K::Narrow, 8, 2, "e5m2x2"},
      {K::Narrow, 8, 2, "e2m3x2"},  {K::Narrow, 8, 2, "e3m2x2"},   {K::Narrow, 4, 2, "e2m1x2"},
      {K::Narrow, 8, 2, "ue8m0x2"}, {K::Narrow, 8, 1, "e4m3"},     {K::Narrow, 8, 1, "e5m2"},
  };
  for (const Type &T : Types)
    if (T.Name == Name)
      return T;
  return std::nullopt;
}

namespace {

class Parser {
public:
  Parser(std::string_view Template, unsigned ArgumentCount, unsigned UniqueId)
      : Template(Template), ArgumentCount(ArgumentCount), Lex(Template, UniqueId) {}

  std::variant<Program, SyntaxError> run() {
    Scopes.push_back({});
    advance();
    while (Tok.K != Token::Kind::End)
      if (!statement())
        return *Error;
    if (Current != 0) {
      fail("a scope that '{' opens must be closed in the same asm statement");
      return *Error;
    }
    for (size_t I = 0; I != P.Instructions.size(); ++I)
      for (Operand &O : P.Instructions[I].Operands)
        if (!resolveLabel(O, InstructionScopes[I]))
          return *Error;
    return std::move(P);
  }

private:
  // Limits beyond real programs, so that malicious text cannot exhaust memory.
  static constexpr size_t MaxRegisters = 1 << 14;
  static constexpr unsigned MaxDepth = 3;

  struct Scope {
    unsigned Parent = 0;
    std::map<std::string, unsigned, std::less<>> Registers, Labels;
  };

  bool fail(std::string Message) {
    if (!Error)
      Error = SyntaxError{Tok.Line, std::move(Message)};
    return false;
  }

  void advance() { Tok = Lex.next(); }

  static std::string quoted(const Token &T) {
    return T.K == Token::Kind::End ? "the end" : "'" + T.Text + "'";
  }

  bool unexpected(const std::string &Wanted) {
    if (Tok.K == Token::Kind::Invalid)
      return fail(Tok.Text);
    return fail("expected " + Wanted + ", found " + quoted(Tok));
  }

  bool expect(Token::Kind K, const char *Spelling) {
    if (Tok.K != K)
      return unexpected(std::string("'") + Spelling + "'");
    advance();
    return true;
  }

  /// Reads ".name"; the current token is the dot.
  bool dottedName(std::string &Name) {
    Token T = Lex.nextName();
    if (T.K == Token::Kind::Invalid)
      return fail(T.Text);
    Name = std::move(T.Text);
    advance();
    return true;
  }

  const unsigned *findRegister(std::string_view Name) const {
    for (unsigned S = Current;; S = Scopes[S].Parent) {
      auto It = Scopes[S].Registers.find(Name);
      if (It != Scopes[S].Registers.end())
        return &It->second;
      if (S == 0)
        return nullptr;
    }
  }

  bool resolveLabel(Operand &O, unsigned S) {
    for (Operand &Part : O.Parts)
      if (!resolveLabel(Part, S))
        return false;
    if (O.K != Operand::Kind::Label)
      return true;
    for (;; S = Scopes[S].Parent) {
      auto It = Scopes[S].Labels.find(O.Name);
      if (It != Scopes[S].Labels.end()) {
        O.Index = It->second;
        return true;
      }
      if (S == 0)
        return fail("'" + O.Name + "' is neither a register nor a label of this asm statement");
    }
  }

  bool statement() {
    switch (Tok.K) {
    case Token::Kind::LeftBrace:
      Scopes.push_back({Current, {}, {}});
      Current = Scopes.size() - 1;
      advance();
      return true;
    case Token::Kind::RightBrace:
      if (Current == 0)
        return fail("'}' without '{'");
      Current = Scopes[Current].Parent;
      advance();
      return true;
    case Token::Kind::Semicolon:
      advance();
      return true;
    case Token::Kind::Dot:
      return directive();
    case Token::Kind::At:
    case Token::Kind::Identifier:
      return labelOrInstruction();
    default:
      return unexpected("an instruction");
    }
  }

  bool directive() {
    std::string Name;
    if (!dottedName(Name))
      return false;
    if (Name == "reg")
      return registers();
    if (Name == "pragma") { // hint to ptxas
      if (Tok.K != Token::Kind::String)
        return unexpected("a string");
      advance();
      return expect(Token::Kind::Semicolon, ";");
    }
    return fail("the directive ." + Name + " is not supported in inline assembly");
  }

  /// Reads .reg .type name, name<count>, …;
  bool registers() {
    if (Tok.K != Token::Kind::Dot)
      return unexpected("a type");
    std::string TypeName;
    if (!dottedName(TypeName))
      return false;
    std::optional<Type> Ty = typeNamed(TypeName);
    if (!Ty || Ty->Kind == TypeKind::TF32 || Ty->Kind == TypeKind::Narrow || Ty->Name == "b1")
      return fail("registers cannot be of type ." + TypeName);
    for (;;) {
      if (Tok.K != Token::Kind::Identifier)
        return unexpected("a register's name");
      std::string Name = Tok.Text;
      advance();
      if (Tok.K == Token::Kind::Less) {
        advance();
        if (Tok.K != Token::Kind::Integer || Tok.Bits > MaxRegisters)
          return fail("expected a number of registers up to " + std::to_string(MaxRegisters));
        for (uint64_t I = 0, E = Tok.Bits; I != E; ++I)
          if (!declare(Name + std::to_string(I), *Ty))
            return false;
        advance();
        if (!expect(Token::Kind::Greater, ">"))
          return false;
      } else if (!declare(Name, *Ty))
        return false;
      if (Tok.K != Token::Kind::Comma)
        return expect(Token::Kind::Semicolon, ";");
      advance();
    }
  }

  bool declare(const std::string &Name, const Type &Ty) {
    if (P.Registers.size() == MaxRegisters)
      return fail("more than " + std::to_string(MaxRegisters) + " registers");
    if (!Scopes[Current].Registers.emplace(Name, P.Registers.size()).second)
      return fail("register '" + Name + "' is declared twice");
    P.Registers.push_back({Name, Ty});
    return true;
  }

  bool labelOrInstruction() {
    Instruction I;
    size_t Begin = Tok.Begin;
    if (Tok.K == Token::Kind::At) {
      advance();
      bool Negated = Tok.K == Token::Kind::Exclamation;
      if (Negated)
        advance();
      Operand Guard;
      if (!operand(Guard, 0))
        return false;
      Guard.Negated = Negated;
      if (Guard.K != Operand::Kind::Register && Guard.K != Operand::Kind::Argument)
        return fail("expected a predicate register after '@'");
      I.Guard = std::move(Guard);
      if (Tok.K != Token::Kind::Identifier)
        return unexpected("an instruction");
    }

    I.Opcode = Tok.Text;
    advance();
    if (Tok.K == Token::Kind::Colon && !I.Guard)
      return label(I.Opcode);
    while (Tok.K == Token::Kind::Dot) {
      std::string Name;
      if (!dottedName(Name))
        return false;
      I.Modifiers.push_back(std::move(Name));
    }
    if (Tok.K != Token::Kind::Semicolon)
      for (;;) {
        Operand O;
        if (!pairOrOperand(O))
          return false;
        I.Operands.push_back(std::move(O));
        if (Tok.K != Token::Kind::Comma)
          break;
        advance();
      }
    I.Text = sourceText(Begin, Tok.Begin);
    if (!expect(Token::Kind::Semicolon, ";"))
      return false;
    InstructionScopes.push_back(Current);
    P.Instructions.push_back(std::move(I));
    return true;
  }

  bool label(const std::string &Name) {
    if (!Scopes[Current].Labels.emplace(Name, P.Labels.size()).second)
      return fail("label '" + Name + "' is defined twice");
    P.Labels.push_back(P.Instructions.size());
    advance();
    return true;
  }

  bool pairOrOperand(Operand &O) {
    if (!operand(O, 0))
      return false;
    if (Tok.K != Token::Kind::Bar)
      return true;
    advance();
    Operand Pair;
    Pair.K = Operand::Kind::Pair;
    Pair.Parts.resize(2);
    Pair.Parts[0] = std::move(O);
    if (!operand(Pair.Parts[1], 0))
      return false;
    O = std::move(Pair);
    return true;
  }

  bool operand(Operand &O, unsigned Depth) {
    if (Depth == MaxDepth)
      return fail("operands are nested too deeply");
    switch (Tok.K) {
    case Token::Kind::Exclamation:
      advance();
      if (!operand(O, Depth + 1))
        return false;
      O.Negated = true;
      return true;
    case Token::Kind::Minus:
      advance();
      if (Tok.K == Token::Kind::Float)
        Tok.Bits ^= uint64_t(1) << (Tok.FloatWidth - 1);
      else if (Tok.K == Token::Kind::Integer)
        Tok.Bits = -Tok.Bits;
      else
        return unexpected("a number");
      return number(O);
    case Token::Kind::Integer:
    case Token::Kind::Float:
      return number(O);
    case Token::Kind::Argument:
      O.K = Operand::Kind::Argument;
      if (!argument(O.Index))
        return false;
      return selector(O);
    case Token::Kind::LeftBrace:
      O.K = Operand::Kind::Vector;
      return list(O, Depth, Token::Kind::RightBrace, "}");
    case Token::Kind::LeftBracket:
      return address(O, Depth);
    case Token::Kind::Identifier:
      return name(O);
    default:
      return unexpected("an operand");
    }
  }

  bool number(Operand &O) {
    O.K = Tok.K == Token::Kind::Float ? Operand::Kind::Float : Operand::Kind::Integer;
    O.Bits = Tok.Bits;
    O.FloatWidth = Tok.FloatWidth;
    advance();
    return true;
  }

  bool argument(unsigned &Index) {
    if (Tok.Bits >= ArgumentCount)
      return fail("operand " + Tok.Text + " does not exist");
    Index = Tok.Bits;
    advance();
    return true;
  }

  bool selector(Operand &O) {
    if (Tok.K != Token::Kind::Dot)
      return true;
    return dottedName(O.Selector);
  }

  bool list(Operand &O, unsigned Depth, Token::Kind Close, const char *Spelling) {
    advance();
    for (;;) {
      Operand Part;
      if (!operand(Part, Depth + 1))
        return false;
      O.Parts.push_back(std::move(Part));
      if (Tok.K != Token::Kind::Comma)
        return expect(Close, Spelling);
      advance();
    }
  }

  /// Reads [base], [base+offset] or [base, part, …].
  bool address(Operand &O, unsigned Depth) {
    O.K = Operand::Kind::Address;
    advance();
    Operand Base;
    if (!operand(Base, Depth + 1))
      return false;
    O.Parts.push_back(std::move(Base));
    if (Tok.K == Token::Kind::Plus || Tok.K == Token::Kind::Minus) {
      bool Minus = Tok.K == Token::Kind::Minus;
      advance();
      if (!Minus && Tok.K == Token::Kind::Minus) {
        Minus = true;
        advance();
      }
      if (Tok.K == Token::Kind::Argument && !Minus) {
        unsigned Index;
        if (!argument(Index))
          return false;
        O.Offset = Index;
      } else if (Tok.K == Token::Kind::Integer) {
        O.Bits = Minus ? -Tok.Bits : Tok.Bits;
        advance();
      } else
        return unexpected("an offset");
    }
    if (Tok.K == Token::Kind::Comma)
      return list(O, Depth, Token::Kind::RightBracket, "]");
    return expect(Token::Kind::RightBracket, "]");
  }

  bool name(Operand &O) {
    std::string Name = Tok.Text;
    advance();
    if (const unsigned *Index = findRegister(Name)) {
      O.K = Operand::Kind::Register;
      O.Index = *Index;
      return selector(O);
    }
    if (Name == "_") {
      O.K = Operand::Kind::Sink;
      return true;
    }
    if (Name == "WARP_SZ") {
      O.Bits = 32;
      return true;
    }
    if (Name[0] == '%') {
      O.K = Operand::Kind::Special;
      O.Name = Name.substr(1);
      if (Tok.K == Token::Kind::Dot) {
        std::string Part;
        if (!dottedName(Part))
          return false;
        O.Name += "." + Part;
      }
      return true;
    }
    O.K = Operand::Kind::Label;
    O.Name = std::move(Name);
    return true;
  }

  /// Returns the template from Begin to End as in the program's source: %0 for $0, one blank for
  /// any white space.
  std::string sourceText(size_t Begin, size_t End) const {
    std::string Out;
    for (size_t I = Begin; I < End; ++I) {
      char C = Template[I];
      if (C == '$' && I + 1 < End && Template[I + 1] == '$')
        ++I;
      else if (C == '$')
        C = '%';
      if (static_cast<unsigned char>(C) <= ' ') {
        if (!Out.empty() && Out.back() != ' ')
          Out += ' ';
      } else
        Out += C;
    }
    while (!Out.empty() && Out.back() == ' ')
      Out.pop_back();
    return Out;
  }

  std::string_view Template;
  unsigned ArgumentCount;
  Lexer Lex;
  Token Tok;
  Program P;
  std::vector<unsigned> InstructionScopes;
  std::vector<Scope> Scopes;
  unsigned Current = 0; ///< index of the current scope
  std::optional<SyntaxError> Error;
};

} // namespace

std::variant<Program, SyntaxError>
gmprof::cpu::ptx::parse(std::string_view Template, unsigned ArgumentCount, unsigned UniqueId) {
  return Parser(Template, ArgumentCount, UniqueId).run();
}
