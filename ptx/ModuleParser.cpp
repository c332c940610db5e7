//===- ModuleParser.cpp - Parser of PTX modules ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleParser.h"

#include "Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gmprof::ptx {

bool ModuleParser::module() {
  if (!isName("version"))
    return expected("'.version' at the beginning");
  while (T.K != Token::Kind::End) {
    if (T.K != Token::Kind::Name)
      return expected("a directive");
    if (isName("version")) {
      if (version())
        return true;
    } else if (isName("target")) {
      if (target())
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
      if (pragma())
        return true;
    } else if (isName("alias")) {
      if (alias())
        return true;
    } else if (declaration()) {
      return true;
    }
  }
  if (M.Target.empty())
    return expected("'.target'");
  return false;
}

bool ModuleParser::version() {
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

/// Reads .target sm_90, debug
bool ModuleParser::target() {
  advance();
  if (identifier(M.Target, "a target such as sm_90"))
    return true;
  StringRef Option; // debug, texmode_independent
  while (accept(','))
    if (identifier(Option, "an option of the target"))
      return true;
  return false;
}

/// Skips a pragma of the module or of a function.
bool ModuleParser::pragma() {
  while (T.K != Token::Kind::End && !T.is(';'))
    advance();
  return expect(';', "after .pragma");
}

/// Reads .alias name, function;
bool ModuleParser::alias() {
  advance();
  StringRef Alias, Aliasee;
  if (identifier(Alias, "the name of the alias") || expect(',', "after the alias") ||
      identifier(Aliasee, "the name of a function") || expect(';', "after .alias"))
    return true;
  M.Aliases.push_back({Alias, Aliasee});
  return false;
}

/// Reads .file 1 "name" or .file 1 "folder" "name", maybe with time and size.
bool ModuleParser::file() {
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
bool ModuleParser::section() {
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
bool ModuleParser::parenthesised() {
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

bool ModuleParser::declaration() {
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

//===--- Functions --------------------------------------------------------===//

/// Reads .maxntid 256, 1, 1 and other directives between a function's parameters and its body.
bool ModuleParser::functionDirectives() {
  while (T.K == Token::Kind::Name) {
    std::string Name = T.Text.str();
    advance();
    if (Name == "pragma") {
      if (pragma())
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

bool ModuleParser::function(bool Entry, Linkage Link) {
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

bool ModuleParser::body() {
  begin();
  for (const std::vector<Variable> *List : {&F.Sig.Results, &F.Sig.Params})
    for (const Variable &V : *List) {
      if (declare(V.Name, {Operand::Kind::Variable, unsigned(F.Variables.size())}, V.At))
        return true;
      F.Variables.push_back(V);
    }
  advance();
  if (statements())
    return true;
  if (!T.is('}'))
    return expected("an instruction, a directive or '}'");
  advance();
  resolveLabels();
  return false;
}

bool ModuleParser::labelled(Label &New) {
  if (isName("callprototype")) {
    New.Prototype.emplace();
    return prototype(*New.Prototype);
  }
  if (!isName("branchtargets") && !isName("calltargets"))
    return false;
  advance();
  New.Targets.emplace();
  return operands(*New.Targets, ';', 0, "the targets");
}

/// Reads .callprototype (.param .b32 _) _ (.param .b64 _);
bool ModuleParser::prototype(Signature &S) {
  Position At = T.At;
  advance();
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
  return S.Results.size() > 1 && error(At, "expected at most one result");
}

/// Reads a directive in a body.
bool ModuleParser::directive() {
  if (isName("loc"))
    return location();
  if (isName("file"))
    return file();
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

/// Reads .loc 1 20 3, function_name $L__info_string0, inlined_at 1 30 5
bool ModuleParser::location() {
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

/// Finds files, and names in .debug_str, that lines refer to: these may follow the functions.
bool ModuleParser::resolveLines() {
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

Expected<Module> parse(StringRef Text, StringRef File) {
  if (Text.size() > UINT32_MAX)
    return createStringError(File + ": the file is larger than 4 GiB");
  return ModuleParser(Text, File).run();
}

} // namespace gmprof::ptx
