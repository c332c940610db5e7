//===- Decoder.cpp - Decodes closed forms ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ClosedForm.h"
#include <utility>

namespace gmprof {

namespace {

/// Upper bounds for factors of a term and derived values of a form; the pass stays below them.
constexpr uint64_t MaxFactors = 16, MaxDerived = 64;

class FormDecoder {
public:
  FormDecoder(std::span<const int64_t> Words, unsigned ParamCount)
      : Words(Words), ParamCount(ParamCount) {}
  Result<ClosedForm> decode();

private:
  /// Unknowns that are allowed in a polynomial.
  enum Allowed { SameInLaunch, All };

  bool word(int64_t &To);
  bool count(size_t &To, uint64_t Most, const char *What);
  bool factor(uint32_t &To, Allowed Which);
  bool polynomial(FormPolynomial &To, Allowed Which);
  bool derived();
  bool constraints();
  bool conditions();
  bool loops();

  bool invalid(const char *What) {
    Why = What;
    return false;
  }

  std::span<const int64_t> Words;
  unsigned ParamCount;
  ClosedForm Form;
  const char *Why = "";
};

} // namespace

bool FormDecoder::word(int64_t &To) {
  if (Words.empty())
    return invalid("it ends early");
  To = Words.front();
  Words = Words.subspan(1);
  return true;
}

/// Reads a count of elements, each of which takes at least one word.
bool FormDecoder::count(size_t &To, uint64_t Most, const char *What) {
  int64_t W;
  if (!word(W))
    return false;
  if (W < 0 || uint64_t(W) > Most || uint64_t(W) > Words.size())
    return invalid(What);
  To = static_cast<size_t>(W);
  return true;
}

bool FormDecoder::factor(uint32_t &To, Allowed Which) {
  int64_t W;
  if (!word(W))
    return false;
  bool IsSize = (W >= GMPROF_FACTOR_NTID_X && W <= GMPROF_FACTOR_NTID_Z) ||
                (W >= GMPROF_FACTOR_NCTAID_X && W <= GMPROF_FACTOR_NCTAID_Z);
  bool IsIndex = W >= GMPROF_FACTOR_TID_X && W <= GMPROF_FACTOR_NCTAID_Z && !IsSize;
  bool IsLoop = W >= GMPROF_FACTOR_LOOP && W < GMPROF_FACTOR_LOOP + int64_t(GMPROF_FORM_LOOPS);
  bool IsParameter = W >= GMPROF_FACTOR_PARAMETER && W < GMPROF_FACTOR_DERIVED &&
                     W - GMPROF_FACTOR_PARAMETER < int64_t(ParamCount);
  bool IsDerived = W >= GMPROF_FACTOR_DERIVED &&
                   W - GMPROF_FACTOR_DERIVED < static_cast<int64_t>(Form.Derived.size());
  if (!IsSize && !IsParameter && !IsDerived && !(Which == All && (IsIndex || IsLoop)))
    return invalid("it has an unknown factor");
  To = static_cast<uint32_t>(W);
  return true;
}

bool FormDecoder::polynomial(FormPolynomial &To, Allowed Which) {
  size_t Terms;
  if (!count(Terms, Words.size(), "it has too many terms"))
    return false;
  for (size_t T = 0; T < Terms; ++T) {
    FormTerm &Term = To.emplace_back();
    size_t Factors;
    if (!word(Term.Coefficient) || !count(Factors, MaxFactors, "a term has too many factors"))
      return false;
    Term.Factors.resize(Factors);
    for (uint32_t &F : Term.Factors)
      if (!factor(F, Which))
        return false;
  }
  return true;
}

bool FormDecoder::derived() {
  size_t Count;
  if (!count(Count, MaxDerived, "it has too many derived unknowns"))
    return false;
  for (size_t I = 0; I < Count; ++I) {
    int64_t Kind;
    FormDerived D;
    if (!word(Kind))
      return false;
    if (Kind != GMPROF_DERIVED_QUOTIENT && Kind != GMPROF_DERIVED_NOT_NEGATIVE)
      return invalid("it has a derived unknown of unknown kind");
    D.Kind = static_cast<GmprofDerived>(Kind);
    if (!polynomial(D.A, SameInLaunch) || !polynomial(D.B, SameInLaunch))
      return false;
    Form.Derived.push_back(std::move(D));
  }
  return true;
}

bool FormDecoder::constraints() {
  size_t Count;
  if (!count(Count, Words.size(), "it has too many constraints"))
    return false;
  for (size_t I = 0; I < Count; ++I) {
    int64_t Loop;
    FormConstraint C;
    if (!word(Loop))
      return false;
    if (Loop < -1 || Loop >= static_cast<int64_t>(Form.Loops))
      return invalid("a constraint is of a loop that it does not have");
    if (Loop >= 0)
      C.Loop = static_cast<unsigned>(Loop);
    if (!polynomial(C.Value, All))
      return false;
    Form.Constraints.push_back(std::move(C));
  }
  return true;
}

bool FormDecoder::conditions() {
  size_t Count;
  if (!count(Count, Words.size(), "it has too many conditions"))
    return false;
  for (size_t I = 0; I < Count; ++I) {
    FormCondition C;
    int64_t Constraints;
    if (!word(Constraints) || !word(C.Min) || !word(C.Max) || !polynomial(C.Value, All))
      return false;
    if (Constraints < 0 || Constraints > static_cast<int64_t>(Form.Constraints.size()))
      return invalid("a condition refers to constraints that it does not have");
    C.Constraints = static_cast<unsigned>(Constraints);
    Form.Conditions.push_back(std::move(C));
  }
  return true;
}

/// Checks loop numbers; the number of loops follows the address in the words.
bool FormDecoder::loops() {
  const auto IsKnown = [&](const FormPolynomial &P) {
    for (const FormTerm &T : P)
      for (uint32_t F : T.Factors)
        if (F >= GMPROF_FACTOR_LOOP + Form.Loops && F < GMPROF_FACTOR_PARAMETER)
          return false;
    return true;
  };
  bool Known = IsKnown(Form.Address);
  for (const FormConstraint &C : Form.Constraints)
    Known = Known && IsKnown(C.Value);
  for (const FormCondition &C : Form.Conditions)
    Known = Known && IsKnown(C.Value);
  return Known || invalid("it has a factor of a loop that it does not have");
}

Result<ClosedForm> FormDecoder::decode() {
  size_t Loops = 0;
  bool Valid = derived() && polynomial(Form.Address, All) &&
               count(Loops, GMPROF_FORM_LOOPS, "it has too many loops");
  Form.Loops = static_cast<unsigned>(Loops);
  Valid = Valid && constraints() && conditions() && loops();
  if (Valid && !Words.empty())
    Valid = invalid("words are left over");
  if (!Valid)
    return Error{std::string("a closed form is invalid: ") + Why};
  return std::move(Form);
}

Result<ClosedForm> decodeClosedForm(std::span<const int64_t> Words, unsigned ParamCount) {
  return FormDecoder(Words, ParamCount).decode();
}

} // namespace gmprof
