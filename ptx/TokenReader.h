//===- TokenReader.h - Tokens of PTX and errors about them ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_TOKENREADER_H
#define GMPROF_PTX_TOKENREADER_H

#include "Lexer.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace gmprof::ptx {

/// The current token of a text, and the first error. As in LLVM's parsers, functions return true
/// after an error.
class TokenReader {
public:
  /// End names the end of the text in errors.
  TokenReader(llvm::StringRef Text, llvm::StringRef File, llvm::StringRef End)
      : L(Text), File(File), EndName(End) {
    advance();
  }

protected:
  void advance() {
    PreviousEnd = T.End;
    T = L.next();
  }
  bool error(Position At, const llvm::Twine &What);
  /// Reports that the current token is not what the grammar requires.
  bool expected(const llvm::Twine &What);
  bool expect(char C, const llvm::Twine &Where);
  bool accept(char C);
  bool isName(llvm::StringRef Name) const { return T.K == Token::Kind::Name && T.Text == Name; }
  bool identifier(llvm::StringRef &Name, const llvm::Twine &What);
  bool unsignedNumber(unsigned &Value, const llvm::Twine &What);
  llvm::Error takeError() const { return llvm::createStringError(Message); }

  Token T;
  const char *PreviousEnd = nullptr; ///< end of the token before T

private:
  std::string found() const;

  Lexer L;
  llvm::StringRef File, EndName;
  std::string Message;
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_TOKENREADER_H
