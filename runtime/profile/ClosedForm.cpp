//===- ClosedForm.cpp - Evaluates closed forms of accesses ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ClosedForm.h"
#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace gmprof {

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Values of a launch
//===----------------------------------------------------------------------===//

namespace {

using Wide = __int128;

/// Bound of coefficients and constants: sums and products of a few of them do not overflow.
constexpr Wide Limit = Wide(1) << 60;
/// Value of an unbounded end of a range.
constexpr Wide Infinity = Wide(1) << 120;

/// First index of the unknowns blockIdx and loops (threadIdx begins at 0), and their number.
constexpr unsigned Blocks = BlockUnknowns, Loops = LoopUnknowns, Unknowns = FormUnknowns;
using Mask = uint32_t;

struct Range {
  Wide Lo = 0, Hi = 0;
  bool empty() const { return Lo > Hi; }
  bool bounded() const { return Hi < Infinity; }
  Wide extent() const { return Hi - Lo + 1; }
};
using Box = std::array<Range, Unknowns>;

/// A polynomial whose launch-determined factors are replaced by their values.
struct Value {
  struct Product {
    Wide Coefficient;
    std::vector<uint8_t> Factors; ///< two or more unknowns
  };
  Wide Constant = 0;
  std::array<Wide, Unknowns> Linear = {};
  std::vector<Product> Products;

  Mask inProducts() const {
    Mask M = 0;
    for (const Product &P : Products)
      for (uint8_t U : P.Factors)
        M |= Mask(1) << U;
    return M;
  }
  Mask unknowns() const {
    Mask M = inProducts();
    for (unsigned U = 0; U < Unknowns; ++U)
      M |= Mask(Linear[U] != 0) << U;
    return M;
  }
};

bool tooLarge(Wide W) { return W < -Limit || W > Limit; }

/// Sums and products that saturate at ±Infinity.
Wide clamp(Wide W) { return std::clamp(W, -Infinity, Infinity); }
Wide add(Wide A, Wide B) { return clamp(A + B); }
Wide multiply(Wide A, Wide B) {
  Wide Product;
  if (!__builtin_mul_overflow(A, B, &Product))
    return clamp(Product);
  return (A < 0) == (B < 0) ? Infinity : -Infinity;
}

Wide floorDivide(Wide A, Wide B) { return A / B - (A % B != 0 && (A < 0) != (B < 0)); }

Range times(Range A, Range B) {
  auto [Min, Max] = std::minmax(
      {multiply(A.Lo, B.Lo), multiply(A.Lo, B.Hi), multiply(A.Hi, B.Lo), multiply(A.Hi, B.Hi)});
  return {Min, Max};
}

/// Returns the interval of V over the box B, with the linear term of `Without` taken as zero.
Range boundsOf(const Value &V, const Box &B, unsigned Without = Unknowns) {
  Range R{V.Constant, V.Constant};
  const auto Add = [&](Range A) { R = {add(R.Lo, A.Lo), add(R.Hi, A.Hi)}; };
  for (unsigned U = 0; U < Unknowns; ++U)
    if (V.Linear[U] != 0 && U != Without)
      Add(times({V.Linear[U], V.Linear[U]}, B[U]));
  for (const Value::Product &P : V.Products) {
    Range A{P.Coefficient, P.Coefficient};
    for (uint8_t U : P.Factors)
      A = times(A, B[U]);
    Add(A);
  }
  return R;
}

/// Returns an upper bound of the absolute value of any partial sum of V over the box B.
Wide magnitude(const Value &V, const Box &B) {
  const auto Size = [](Range R) { return std::max(R.Hi, -R.Lo); };
  Wide Sum = V.Constant < 0 ? -V.Constant : V.Constant;
  for (unsigned U = 0; U < Unknowns; ++U)
    if (V.Linear[U] != 0)
      Sum = add(Sum, Size(times({V.Linear[U], V.Linear[U]}, B[U])));
  for (const Value::Product &P : V.Products) {
    Range A{P.Coefficient, P.Coefficient};
    for (uint8_t U : P.Factors)
      A = times(A, B[U]);
    Sum = add(Sum, Size(A));
  }
  return Sum;
}

/// Returns A + Factor * B, or nothing if a coefficient exceeds Limit.
std::optional<Value> sum(Value A, const Value &B, Wide Factor) {
  bool Fits = !tooLarge(Factor);
  const auto Add = [&](Wide &To, Wide What) {
    To += What * Factor;
    Fits = Fits && !tooLarge(To);
  };
  Add(A.Constant, B.Constant);
  for (unsigned U = 0; U < Unknowns; ++U)
    Add(A.Linear[U], B.Linear[U]);
  for (const Value::Product &P : B.Products) {
    auto Same = std::find_if(A.Products.begin(), A.Products.end(),
                             [&](const Value::Product &Q) { return Q.Factors == P.Factors; });
    if (Same == A.Products.end())
      Same = A.Products.insert(A.Products.end(), {0, P.Factors});
    Add(Same->Coefficient, P.Coefficient);
    if (Same->Coefficient == 0)
      A.Products.erase(Same);
  }
  return Fits ? std::optional(std::move(A)) : std::nullopt;
}

/// Adds Coefficient times the product of the sorted Factors; returns false if it exceeds Limit.
bool addProduct(Value &To, Wide Coefficient, std::vector<uint8_t> Factors) {
  Value V;
  if (Factors.empty())
    V.Constant = Coefficient;
  else if (Factors.size() == 1)
    V.Linear[Factors[0]] = Coefficient;
  else
    V.Products.push_back({Coefficient, std::move(Factors)});
  if (tooLarge(Coefficient))
    return false;
  std::optional<Value> Sum = sum(std::move(To), V, 1);
  if (Sum)
    To = std::move(*Sum);
  return Sum.has_value();
}

/// Substitutes the value `At` for the unknown U in V; returns false if a coefficient exceeds Limit.
bool fix(Value &V, unsigned U, Wide At) {
  if (V.Linear[U] == 0 && V.Products.empty())
    return true;
  const auto Fits = [&](Wide A, Wide B, Wide &To) {
    return !__builtin_mul_overflow(A, B, &To) && !tooLarge(To);
  };
  Wide Part;
  if (!Fits(V.Linear[U], At, Part) || tooLarge(V.Constant + Part))
    return false;
  V.Constant += Part;
  V.Linear[U] = 0;
  if (!(V.inProducts() >> U & 1))
    return true;
  std::vector<Value::Product> Products = std::move(V.Products);
  V.Products.clear();
  for (Value::Product &P : Products) {
    Wide Coefficient = P.Coefficient;
    for (auto It = P.Factors.begin(); It != P.Factors.end();) {
      if (*It != U) {
        ++It;
        continue;
      }
      if (!Fits(Coefficient, At, Coefficient))
        return false;
      It = P.Factors.erase(It);
    }
    if (Coefficient != 0 && !addProduct(V, Coefficient, std::move(P.Factors)))
      return false;
  }
  return true;
}

/// Substitutes a launch's values into polynomials.
class Binder {
public:
  Binder(const ClosedForm &Form, const FormLaunch &Launch) : Launch(Launch) {
    for (const FormDerived &D : Form.Derived)
      Valid = Valid && derive(D);
  }
  /// Returns nothing if a number exceeds Limit or the launch has too few parameters.
  std::optional<Value> bind(const FormPolynomial &P) const;
  Box box() const;
  bool valid() const { return Valid; }

private:
  bool derive(const FormDerived &D);
  std::optional<Wide> known(uint32_t Factor) const;

  const FormLaunch &Launch;
  std::vector<Wide> Derived;
  bool Valid = true;
};

} // namespace

/// Returns the value of a factor that the launch determines. The factor must not be an unknown.
std::optional<Wide> Binder::known(uint32_t Factor) const {
  if (Factor >= GMPROF_FACTOR_DERIVED) {
    uint32_t I = Factor - GMPROF_FACTOR_DERIVED;
    return I < Derived.size() ? std::optional(Derived[I]) : std::nullopt;
  }
  if (Factor >= GMPROF_FACTOR_PARAMETER) {
    uint32_t I = Factor - GMPROF_FACTOR_PARAMETER;
    return I < Launch.Parameters.size() ? std::optional<Wide>(Launch.Parameters[I]) : std::nullopt;
  }
  return Factor >= GMPROF_FACTOR_NCTAID_X ? Launch.Grid[Factor - GMPROF_FACTOR_NCTAID_X]
                                          : Launch.Block[Factor - GMPROF_FACTOR_NTID_X];
}

/// Returns the index of an unknown, or nothing if the launch determines the factor.
static std::optional<uint8_t> unknownOf(uint32_t Factor) {
  if (Factor <= GMPROF_FACTOR_TID_Z)
    return uint8_t(Factor - GMPROF_FACTOR_TID_X);
  if (Factor >= GMPROF_FACTOR_CTAID_X && Factor <= GMPROF_FACTOR_CTAID_Z)
    return uint8_t(Blocks + Factor - GMPROF_FACTOR_CTAID_X);
  if (Factor >= GMPROF_FACTOR_LOOP && Factor < GMPROF_FACTOR_PARAMETER)
    return uint8_t(Loops + Factor - GMPROF_FACTOR_LOOP);
  return std::nullopt;
}

std::optional<Value> Binder::bind(const FormPolynomial &P) const {
  Value V;
  for (const FormTerm &T : P) {
    Wide Coefficient = T.Coefficient;
    std::vector<uint8_t> Factors;
    for (uint32_t F : T.Factors) {
      if (std::optional<uint8_t> U = unknownOf(F)) {
        Factors.push_back(*U);
        continue;
      }
      std::optional<Wide> Known = known(F);
      if (!Known || __builtin_mul_overflow(Coefficient, *Known, &Coefficient))
        return std::nullopt;
    }
    std::sort(Factors.begin(), Factors.end());
    if (Coefficient != 0 && !addProduct(V, Coefficient, std::move(Factors)))
      return std::nullopt;
  }
  return V;
}

bool Binder::derive(const FormDerived &D) {
  std::optional<Value> A = bind(D.A), B = bind(D.B);
  if (!A || !B)
    return false;
  switch (D.Kind) {
  case GMPROF_DERIVED_QUOTIENT:
    if (B->Constant < 1)
      return false;
    Derived.push_back(floorDivide(A->Constant, B->Constant));
    return true;
  case GMPROF_DERIVED_NOT_NEGATIVE:
    Derived.push_back(A->Constant >= 0 ? 1 : 0);
    return true;
  }
  return false;
}

/// Returns the ranges of all unknowns before any constraint; loops are unbounded.
Box Binder::box() const {
  Box B;
  for (unsigned D = 0; D < 3; ++D) {
    B[D] = {0, Wide(Launch.Block[D]) - 1};
    B[Blocks + D] = {0, Wide(Launch.Grid[D]) - 1};
    if (Launch.OnlyBlock)
      B[Blocks + D] = {(*Launch.OnlyBlock)[D], (*Launch.OnlyBlock)[D]};
    if (Launch.OnlyThread)
      B[D] = {(*Launch.OnlyThread)[D], (*Launch.OnlyThread)[D]};
  }
  for (unsigned L = 0; L < GMPROF_FORM_LOOPS; ++L)
    B[Loops + L] = {0, Infinity};
  return B;
}

//===----------------------------------------------------------------------===//
// Domains
//===----------------------------------------------------------------------===//

namespace {

bool isEmpty(const Box &Ranges) {
  return std::any_of(Ranges.begin(), Ranges.end(), [](const Range &R) { return R.empty(); });
}

/// The values of the unknowns within Ranges for which all Constraints are >= 0.
struct Domain {
  Box Ranges;
  std::vector<Value> Constraints;

  bool empty() const { return isEmpty(Ranges); }
};

/// A constraint that iteration 0 of Loop satisfies in any case.
struct LoopConstraint {
  unsigned Loop;
  Value Where;
};

/// Limit of the parts that one launch is split into.
constexpr size_t MaxParts = 64;

bool isImplied(const Value &C, const Domain &D) {
  if (boundsOf(C, D.Ranges).Lo >= 0)
    return true;
  return std::any_of(D.Constraints.begin(), D.Constraints.end(), [&](const Value &By) {
    std::optional<Value> Rest = sum(C, By, -1);
    return Rest && boundsOf(*Rest, D.Ranges).Lo >= 0;
  });
}

/// Resolves the loop constraints of Left, and appends the resulting parts of D. Splits off a loop's
/// iteration 0 where its constraint is not implied there. Returns false beyond MaxParts.
bool split(Domain D, std::vector<LoopConstraint> Left, std::vector<Domain> &To) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto It = Left.begin(); It != Left.end();) {
      Value First = It->Where;
      if (!fix(First, Loops + It->Loop, 0))
        return false;
      if (D.Ranges[Loops + It->Loop].Lo < 1 && !isImplied(First, D)) {
        ++It;
        continue;
      }
      D.Constraints.push_back(std::move(It->Where));
      It = Left.erase(It);
      Changed = true;
    }
  }
  if (Left.empty()) {
    To.push_back(std::move(D));
    return To.size() <= MaxParts;
  }
  const unsigned Loop = Left.front().Loop;
  Domain First = D, Others = std::move(D);
  First.Ranges[Loops + Loop] = {0, 0};
  Others.Ranges[Loops + Loop].Lo = 1;
  std::vector<LoopConstraint> Rest = Left;
  std::erase_if(Rest, [&](const LoopConstraint &C) { return C.Loop == Loop; });
  return split(std::move(First), std::move(Rest), To) &&
         split(std::move(Others), std::move(Left), To);
}

/// Returns the launch's domains under the first Count constraints; nothing if a number gets too
/// large or there are too many parts.
std::optional<std::vector<Domain>> domains(const ClosedForm &Form, const Binder &Bind,
                                           size_t Count) {
  Domain D;
  D.Ranges = Bind.box();
  // Unused loops run once.
  for (unsigned L = Form.Loops; L < GMPROF_FORM_LOOPS; ++L)
    D.Ranges[Loops + L].Hi = 0;
  std::vector<LoopConstraint> Left;
  for (size_t I = 0; I < Count; ++I) {
    std::optional<Value> V = Bind.bind(Form.Constraints[I].Value);
    if (!V)
      return std::nullopt;
    if (Form.Constraints[I].Loop)
      Left.push_back({*Form.Constraints[I].Loop, std::move(*V)});
    else
      D.Constraints.push_back(std::move(*V));
  }
  std::vector<Domain> Parts;
  if (!split(std::move(D), std::move(Left), Parts))
    return std::nullopt;
  return Parts;
}

/// Narrows the ranges by the constraints.
void narrow(Domain &D) {
  // A round may bound one more unknown through others; stopping early only loses precision.
  for (unsigned Round = 0; Round < Unknowns && !D.empty(); ++Round) {
    bool Changed = false;
    for (const Value &C : D.Constraints) {
      const Mask Fixed = C.inProducts();
      if (boundsOf(C, D.Ranges).Hi < 0)
        D.Ranges[0].Hi = D.Ranges[0].Lo - 1;
      for (unsigned U = 0; U < Unknowns && !D.empty(); ++U) {
        if (C.Linear[U] == 0 || (Fixed >> U & 1))
          continue;
        Wide Rest = boundsOf(C, D.Ranges, U).Hi;
        if (Rest >= Infinity)
          continue;
        Range &R = D.Ranges[U];
        Range Old = R;
        if (C.Linear[U] < 0)
          R.Hi = std::min(R.Hi, floorDivide(Rest, -C.Linear[U]));
        else
          R.Lo = std::max(R.Lo, -floorDivide(Rest, C.Linear[U]));
        Changed = Changed || Old.Lo != R.Lo || Old.Hi != R.Hi;
      }
    }
    if (!Changed)
      break;
  }
}

/// Returns true if V <= Max is proven for all of D, which must be narrowed: by the ranges, or
/// because V plus positive multiples of up to `Constraints` constraints, taken from index From on,
/// is at most Max. Three suffice for the border guard of a stencil, one per dimension.
bool isAtMost(const Value &V, Wide Max, const Domain &D, unsigned Constraints = 3,
              size_t From = 0) {
  if (D.empty() || boundsOf(V, D.Ranges).Hi <= Max)
    return true;
  if (Constraints == 0)
    return false;
  for (size_t I = From; I < D.Constraints.size(); ++I) {
    const Value &C = D.Constraints[I];
    // Try factors that cancel a coefficient of V; several unknowns often give the same factor.
    std::set<Wide> Tried;
    for (unsigned U = 0; U < Unknowns; ++U) {
      if (C.Linear[U] == 0 || V.Linear[U] % C.Linear[U] != 0)
        continue;
      Wide Factor = -(V.Linear[U] / C.Linear[U]);
      if (Factor <= 0 || !Tried.insert(Factor).second)
        continue;
      std::optional<Value> More = sum(V, C, Factor);
      if (More && isAtMost(*More, Max, D, Constraints - 1, I + 1))
        return true;
    }
  }
  return false;
}

} // namespace

static bool holds(const FormCondition &C, const ClosedForm &Form, const Binder &Bind) {
  std::optional<Value> V = Bind.bind(C.Value);
  std::optional<std::vector<Domain>> Parts = domains(Form, Bind, C.Constraints);
  if (!V || !Parts)
    return false;
  std::optional<Value> Negative = sum(Value(), *V, -1);
  return Negative && std::all_of(Parts->begin(), Parts->end(), [&](Domain &D) {
           narrow(D);
           return isAtMost(*V, C.Max, D) && isAtMost(*Negative, -Wide(C.Min), D);
         });
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

namespace {

/// Solves one part of a launch by stepwise simplification.
class Solver {
public:
  Solver(Domain Part, Value Address) : D(std::move(Part)), Address(std::move(Address)) {}

  /// Simplifies as far as possible. Returns false if a number gets too large.
  bool simplify();
  /// Splits off one value of an unknown if that simplifies both parts; returns the part with it.
  std::optional<Solver> split();
  /// Chooses the unknowns to enumerate. Returns false if none or only too many values remain.
  bool plan();
  /// Number of values to enumerate.
  Wide cost() const { return Cost; }
  void emit(const std::function<void(const Progression &)> &Emit) const;
  /// Returns true if emit() would emit anything.
  bool any() const;

private:
  template <typename Function> bool allValues(Function F);
  bool fixKnown(bool &Changed);
  bool clip(bool &Changed);
  bool startAtZero();
  bool multiplyFree(bool &Changed);
  bool merge(bool &Changed);
  bool canMerge(unsigned A, unsigned B) const;
  void coarsen(bool &Changed);
  bool divide(bool &Changed);
  bool replaceByRemainder(size_t Least, size_t Most, unsigned Quotient, unsigned Of);
  bool unite(bool &Changed);
  bool replaceBySum(unsigned A, unsigned B, Wide Distance);
  bool areNotInProducts(Mask These) const;
  bool choose();
  bool isEnough(Mask Enumerated) const;
  void emitFrom(size_t Depth, const Domain &Part, const Value &At,
                const std::function<void(const Progression &)> &Emit) const;
  void settle(Domain &Part, size_t Depth) const;
  template <typename Callable>
  bool enumerate(size_t Depth, const Domain &Part, const Callable &Use) const;
  template <typename Callable> bool enumerateLast(const Domain &Part, const Callable &Use) const;
  void emitRest(const Box &Ranges, const Value &At,
                const std::function<void(const Progression &)> &Emit) const;
  bool anyFrom(size_t Depth, const Domain &Part) const;

  Domain D;
  Value Address;
  Wide Times = 1, Cost = 1;
  Mask Divided = 0; ///< quotients that divide() has handled
  std::vector<unsigned> Enumerated;
};

} // namespace

template <typename Function> bool Solver::allValues(Function F) {
  return F(Address) && std::all_of(D.Constraints.begin(), D.Constraints.end(), F);
}

/// Replaces unknowns with a single value by that value.
bool Solver::fixKnown(bool &Changed) {
  for (unsigned U = 0; U < Unknowns; ++U) {
    const Range &R = D.Ranges[U];
    if (R.extent() != 1 || (R.Lo == 0 && R.Hi == 0 &&
                            allValues([&](const Value &V) { return !(V.unknowns() >> U & 1); })))
      continue;
    if (!allValues([&](Value &V) { return fix(V, U, R.Lo); }))
      return false;
    D.Ranges[U] = {0, 0};
    Changed = true;
  }
  return true;
}

/// Removes constraints that always hold, and turns those of one unknown into ranges.
bool Solver::clip(bool &Changed) {
  for (size_t I = 0; I < D.Constraints.size() && !D.empty();) {
    Value C = std::move(D.Constraints[I]);
    D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(I));
    const Mask In = C.unknowns();
    if (isImplied(C, D)) {
      Changed = true;
      continue;
    }
    if (In == 0) {
      D.Ranges[0].Hi = D.Ranges[0].Lo - 1; // never satisfied: empty domain
      continue;
    }
    if (std::has_single_bit(In) && C.Products.empty()) {
      const auto U = static_cast<unsigned>(std::countr_zero(In));
      Range &R = D.Ranges[U];
      if (C.Linear[U] < 0)
        R.Hi = std::min(R.Hi, floorDivide(C.Constant, -C.Linear[U]));
      else
        R.Lo = std::max(R.Lo, -floorDivide(C.Constant, C.Linear[U]));
      Changed = true;
      continue;
    }
    D.Constraints.insert(D.Constraints.begin() + static_cast<ptrdiff_t>(I), std::move(C));
    ++I;
  }
  return true;
}

/// Shifts each range to start at 0, for unknowns that are in no product.
bool Solver::startAtZero() {
  for (unsigned U = 0; U < Unknowns; ++U) {
    Range &R = D.Ranges[U];
    if (R.Lo == 0 || !allValues([&](const Value &V) { return !(V.inProducts() >> U & 1); }))
      continue;
    bool Fits = allValues([&](Value &V) {
      Wide Part;
      if (__builtin_mul_overflow(V.Linear[U], R.Lo, &Part) || tooLarge(Part))
        return false;
      V.Constant += Part;
      return !tooLarge(V.Constant);
    });
    if (!Fits)
      return false;
    R.Hi = R.bounded() ? R.Hi - R.Lo : Infinity;
    R.Lo = 0;
  }
  return true;
}

bool Solver::multiplyFree(bool &Changed) {
  Mask Used = Address.unknowns();
  for (const Value &C : D.Constraints)
    Used |= C.unknowns();
  for (unsigned U = 0; U < Unknowns; ++U) {
    Range &R = D.Ranges[U];
    if (R.extent() == 1 || (Used >> U & 1))
      continue;
    Times = multiply(Times, R.extent());
    if (!R.bounded() || Times > Wide(AccessLimit))
      return false;
    R = {0, 0};
    Changed = true;
  }
  return true;
}

bool Solver::canMerge(unsigned A, unsigned B) const {
  const Range &RA = D.Ranges[A], &RB = D.Ranges[B];
  if (A == B || !RA.bounded() || RA.extent() == 1 || RB.extent() == 1 || RA.Lo != 0 || RB.Lo != 0)
    return false;
  const auto Fits = [&](const Value &V) {
    return !(V.inProducts() >> A & 1) && !(V.inProducts() >> B & 1) &&
           multiply(V.Linear[A], RA.extent()) == V.Linear[B];
  };
  return Fits(Address) && std::all_of(D.Constraints.begin(), D.Constraints.end(), Fits);
}

bool Solver::merge(bool &Changed) {
  for (unsigned A = 0; A < Unknowns; ++A)
    for (unsigned B = 0; B < Unknowns; ++B) {
      if (!canMerge(A, B))
        continue;
      Wide Extent =
          D.Ranges[B].bounded() ? multiply(D.Ranges[A].extent(), D.Ranges[B].extent()) : Infinity;
      D.Ranges[A].Hi = Extent < Infinity ? Extent - 1 : Infinity;
      D.Ranges[B] = {0, 0};
      if (!allValues([&](Value &V) {
            V.Linear[B] = 0;
            return true;
          }))
        return false;
      Changed = true;
    }
  return true;
}

bool Solver::areNotInProducts(Mask These) const {
  const auto AreNot = [&](const Value &V) { return (V.inProducts() & These) == 0; };
  return AreNot(Address) && std::all_of(D.Constraints.begin(), D.Constraints.end(), AreNot);
}

/// Returns Most if 0 <= A and 0 <= B together mean 0 <= A <= Most; else nothing.
static std::optional<Wide> mostOf(const Value &A, const Value &B) {
  if (!A.Products.empty())
    return std::nullopt;
  const std::optional<Value> Sum = sum(A, B, 1);
  return Sum && Sum->unknowns() == 0 && Sum->Constant >= 0 ? std::optional(Sum->Constant)
                                                           : std::nullopt;
}

/// Replaces the unknown Of by the remainder V = ±Of + c - n * Quotient. The constraints Least (0 <=
/// V) and Most (V < n) become the range of V; the range of Of becomes constraints.
bool Solver::replaceByRemainder(size_t Least, size_t Most, unsigned Quotient, unsigned Of) {
  const Value V = D.Constraints[Least];
  const Wide Divisor = -V.Linear[Quotient], Sign = V.Linear[Of];
  const Range Old = D.Ranges[Of];
  D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(std::max(Least, Most)));
  D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(std::min(Least, Most)));
  const auto Bound = [&](Wide Factor, Wide Constant) {
    Value &C = D.Constraints.emplace_back();
    C.Linear[Of] = Factor;
    C.Constant = Constant;
  };
  Bound(1, -Old.Lo);
  if (Old.bounded())
    Bound(-1, Old.Hi);
  D.Ranges[Of] = {0, Divisor - 1};
  return allValues([&](Value &To) {
    const Wide Factor = To.Linear[Of] * Sign;
    if (tooLarge(Factor))
      return false;
    To.Linear[Of] = Factor;
    To.Linear[Quotient] += multiply(Factor, Divisor);
    To.Constant -= multiply(Factor, V.Constant);
    return !tooLarge(To.Linear[Quotient]) && !tooLarge(To.Constant);
  });
}

/// Returns C without the unknowns whose coefficients are not multiples of N, if an equivalent
/// constraint remains: N * M + R >= 0 is M + k >= 0 if floor(R / N) is k for all values of R.
static std::optional<Value> inMultiples(const Value &C, Wide N, const Box &Ranges) {
  Value Multiples, Rest;
  for (unsigned U = 0; U < Unknowns; ++U)
    if (C.Linear[U] % N == 0)
      Multiples.Linear[U] = C.Linear[U] / N;
    else
      Rest.Linear[U] = C.Linear[U];
  Rest.Constant = C.Constant;
  const Range R = boundsOf(Rest, Ranges);
  if (R.Lo <= -Infinity || R.Hi >= Infinity || floorDivide(R.Lo, N) != floorDivide(R.Hi, N))
    return std::nullopt;
  Multiples.Constant = floorDivide(R.Lo, N);
  return Multiples;
}

/// Drops remainders from constraints that only depend on the corresponding quotients, such as a
/// quotient by a multiple of the divisor.
void Solver::coarsen(bool &Changed) {
  for (Value &C : D.Constraints)
    for (unsigned U = 0; U < Unknowns && C.Products.empty(); ++U) {
      const Wide N = C.Linear[U] < 0 ? -C.Linear[U] : C.Linear[U];
      if (N < 2)
        continue;
      if (std::optional<Value> Coarse = inMultiples(C, N, D.Ranges)) {
        C = std::move(*Coarse);
        Changed = true;
      }
    }
}

/// Replaces the dividend of one quotient by its remainder, if there is one. The smallest divisor
/// goes first, because others may be multiples of it.
bool Solver::divide(bool &Changed) {
  struct Division {
    Wide Divisor;
    size_t Least, Most;
    unsigned Quotient, Of;
  };
  std::optional<Division> Best;
  for (size_t Least = 0; Least < D.Constraints.size(); ++Least)
    for (size_t Most = 0; Most < D.Constraints.size(); ++Most) {
      const Value &V = D.Constraints[Least];
      const std::optional<Wide> Last = mostOf(V, D.Constraints[Most]);
      if (!Last || (Best && Best->Divisor <= *Last + 1))
        continue;
      for (unsigned Q = 0; Q < Unknowns; ++Q) {
        const Mask Others = V.unknowns() & ~(Mask(1) << Q);
        if (V.Linear[Q] != -(*Last + 1) || (Divided >> Q & 1) || !std::has_single_bit(Others))
          continue;
        const auto Of = static_cast<unsigned>(std::countr_zero(Others));
        if ((V.Linear[Of] == 1 || V.Linear[Of] == -1) && areNotInProducts(Others))
          Best = {*Last + 1, Least, Most, Q, Of};
      }
    }
  if (!Best)
    return true;
  Divided |= Mask(1) << Best->Quotient;
  Changed = true;
  return replaceByRemainder(Best->Least, Best->Most, Best->Quotient, Best->Of);
}

/// Substitutes B + Distance for A.
bool Solver::replaceBySum(unsigned A, unsigned B, Wide Distance) {
  Range &Of = D.Ranges[B];
  Of.Lo = std::max(Of.Lo, D.Ranges[A].Lo - Distance);
  if (D.Ranges[A].bounded())
    Of.Hi = std::min(Of.Hi, D.Ranges[A].Hi - Distance);
  D.Ranges[A] = {0, 0};
  return allValues([&](Value &To) {
    const Wide Factor = std::exchange(To.Linear[A], 0);
    To.Linear[B] += Factor;
    To.Constant += multiply(Factor, Distance);
    return !tooLarge(To.Linear[B]) && !tooLarge(To.Constant);
  });
}

/// Unites two unknowns A and B if 0 <= n * (A - B) + R <= Most leaves one value of A - B.
bool Solver::unite(bool &Changed) {
  for (const Value &V : D.Constraints)
    for (const Value &Other : D.Constraints) {
      const std::optional<Wide> Most = mostOf(V, Other);
      for (unsigned A = 0; Most && A < Unknowns; ++A)
        for (unsigned B = 0; B < Unknowns; ++B) {
          const Wide N = V.Linear[A];
          if (N <= 0 || V.Linear[B] != -N || !areNotInProducts(Mask(1) << A | Mask(1) << B))
            continue;
          Value Rest = V;
          Rest.Linear[A] = Rest.Linear[B] = 0;
          const Range R = boundsOf(Rest, D.Ranges);
          if (R.Lo <= -Infinity || R.Hi >= Infinity)
            continue;
          const Wide Distance = -floorDivide(R.Hi, N);
          if (Distance != floorDivide(*Most - R.Lo, N))
            continue;
          Changed = true;
          return replaceBySum(A, B, Distance);
        }
    }
  return true;
}

bool Solver::simplify() {
  for (bool Changed = true; Changed && !D.empty();) {
    Changed = false;
    if (!clip(Changed))
      return false;
    if (D.empty())
      return true;
    if (!fixKnown(Changed) || !startAtZero() || !multiplyFree(Changed) || !merge(Changed))
      return false;
    if (Changed)
      continue;
    narrow(D);
    if (D.empty())
      return true;
    coarsen(Changed);
    if (Changed)
      continue;
    if (!divide(Changed) || (!Changed && !unite(Changed)))
      return false;
  }
  return true;
}

std::optional<Solver> Solver::split() {
  for (size_t I = 0; I < D.Constraints.size(); ++I) {
    const Value &C = D.Constraints[I];
    for (unsigned U = 0; U < Unknowns; ++U) {
      const Range &All = D.Ranges[U];
      if (C.Linear[U] == 0 || (C.inProducts() >> U & 1) || !All.bounded() || All.extent() < 2)
        continue;
      Box Others = D.Ranges;
      Wide &End = C.Linear[U] < 0 ? Others[U].Hi : Others[U].Lo;
      const Wide Last = End;
      End += C.Linear[U] < 0 ? -1 : 1;
      if (boundsOf(C, Others).Lo < 0)
        continue;
      Solver One = *this;
      One.D.Ranges[U] = {Last, Last};
      D.Ranges = Others;
      D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(I));
      return One;
    }
  }
  return std::nullopt;
}

/// Returns true if the rest has a closed form once the unknowns in Enumerated have values.
bool Solver::isEnough(Mask Enumerated) const {
  const auto Single = [&](const Value &V, bool IsConstraint) {
    for (const Value::Product &P : V.Products)
      if (std::count_if(P.Factors.begin(), P.Factors.end(),
                        [&](uint8_t U) { return !(Enumerated >> U & 1); }) > 1)
        return false;
    return !IsConstraint || std::popcount(V.unknowns() & ~Enumerated) <= 1;
  };
  return Single(Address, false) && std::all_of(D.Constraints.begin(), D.Constraints.end(),
                                               [&](const Value &V) { return Single(V, true); });
}

/// Chooses the set of unknowns to enumerate that has the fewest values; returns false beyond
/// EnumerationLimit.
bool Solver::choose() {
  Mask Coupled = Address.inProducts();
  for (const Value &C : D.Constraints)
    Coupled |= C.unknowns();
  Wide Best = Infinity;
  Mask BestSet = 0;
  for (Mask Set = Coupled;; Set = (Set - 1) & Coupled) {
    Wide Values = 1;
    for (unsigned U = 0; U < Unknowns; ++U)
      if (Set >> U & 1)
        Values = multiply(Values, D.Ranges[U].bounded() ? D.Ranges[U].extent() : Infinity);
    if (Values < Best && isEnough(Set)) {
      Best = Values;
      BestSet = Set;
    }
    if (Set == 0)
      break;
  }
  Cost = Best;
  for (unsigned U = 0; U < Unknowns; ++U)
    if (BestSet >> U & 1)
      Enumerated.push_back(U);
  return Best <= Wide(EnumerationLimit);
}

bool Solver::plan() {
  if (D.empty()) {
    Cost = 0;
    return true;
  }
  Wide Accesses = Times;
  for (const Range &R : D.Ranges)
    Accesses = R.bounded() ? multiply(Accesses, R.extent()) : Infinity;
  return Accesses <= Wide(AccessLimit) &&
         allValues([&](const Value &V) { return !tooLarge(magnitude(V, D.Ranges)); }) && choose();
}

/// Narrows Ranges by C, which has at most one unknown and no products.
static void clipTo(Box &Ranges, const Value &C) {
  const auto *In = std::find_if(C.Linear.begin(), C.Linear.end(), [](Wide L) { return L != 0; });
  Range &R = Ranges[In == C.Linear.end() ? 0 : static_cast<size_t>(In - C.Linear.begin())];
  if (In == C.Linear.end())
    R.Hi = C.Constant < 0 ? R.Lo - 1 : R.Hi;
  else if (*In < 0)
    R.Hi = std::min(R.Hi, floorDivide(C.Constant, -*In));
  else
    R.Lo = std::max(R.Lo, -floorDivide(C.Constant, *In));
}

namespace {

/// A constraint without products in U and at most one other unknown.
struct Line {
  Line(const Value &C, unsigned U) : Constant(C.Constant), OfU(C.Linear[U]) {
    for (unsigned Each = 0; Each < Unknowns; ++Each)
      if (Each != U && C.Linear[Each] != 0) {
        Other = Each;
        OfOther = C.Linear[Each];
      }
  }
  /// Narrows the range of the other unknown for U = At.
  void clipTo(Box &Ranges, Wide At) const {
    const Wide Rest = Constant + OfU * At;
    Range &R = Ranges[Other];
    if (OfOther == 0)
      R.Hi = Rest < 0 ? R.Lo - 1 : R.Hi;
    else if (OfOther < 0)
      R.Hi = std::min(R.Hi, floorDivide(Rest, -OfOther));
    else
      R.Lo = std::max(R.Lo, -floorDivide(Rest, OfOther));
  }

  Wide Constant, OfU, OfOther = 0;
  unsigned Other = 0; ///< the only unknown beside U
};

} // namespace

/// Turns constraints without enumerated unknowns from Depth on into ranges, and removes them.
void Solver::settle(Domain &Part, size_t Depth) const {
  Mask Left = 0;
  for (size_t I = Depth; I < Enumerated.size(); ++I)
    Left |= Mask(1) << Enumerated[I];
  std::erase_if(Part.Constraints, [&](const Value &C) {
    const bool Settled = Left == 0 || (C.unknowns() & Left) == 0;
    if (Settled)
      clipTo(Part.Ranges, C);
    return Settled;
  });
}

/// Calls Use(domain, value) for each value of the unknown at Depth, as long as Use returns true.
/// Returns false if Use did.
template <typename Callable>
bool Solver::enumerate(size_t Depth, const Domain &Part, const Callable &Use) const {
  const unsigned U = Enumerated[Depth];
  // Reuse one Domain's memory for all values.
  Domain Inner;
  for (Wide I = D.Ranges[U].Lo; I <= D.Ranges[U].Hi; ++I) {
    Inner = Part;
    Inner.Ranges[U] = {0, 0};
    // plan() has checked that no number gets too large within the ranges.
    bool Fits = true;
    for (Value &C : Inner.Constraints)
      Fits = fix(C, U, I) && Fits;
    settle(Inner, Depth + 1);
    if (Fits && !Inner.empty() && !Use(Inner, I))
      return false;
  }
  return true;
}

/// Does the same for the last enumerated unknown; only ranges are left to pass to Use.
template <typename Callable>
bool Solver::enumerateLast(const Domain &Part, const Callable &Use) const {
  if (std::any_of(Part.Constraints.begin(), Part.Constraints.end(),
                  [](const Value &C) { return !C.Products.empty(); }))
    return enumerate(Enumerated.size() - 1, Part,
                     [&](const Domain &Inner, Wide I) { return Use(Inner.Ranges, I); });
  const unsigned U = Enumerated.back();
  std::vector<Line> Lines;
  for (const Value &C : Part.Constraints)
    Lines.emplace_back(C, U);
  for (Wide I = D.Ranges[U].Lo; I <= D.Ranges[U].Hi; ++I) {
    Box Ranges = Part.Ranges;
    Ranges[U] = {0, 0};
    for (const Line &L : Lines)
      L.clipTo(Ranges, I);
    if (!isEmpty(Ranges) && !Use(Ranges, I))
      return false;
  }
  return true;
}

void Solver::emit(const std::function<void(const Progression &)> &Emit) const {
  Domain All = D;
  settle(All, 0);
  if (Enumerated.empty())
    emitRest(All.Ranges, Address, Emit);
  else
    emitFrom(0, All, Address, Emit);
}

bool Solver::any() const {
  Domain All = D;
  settle(All, 0);
  return Enumerated.empty() ? !All.empty() : anyFrom(0, All);
}

void Solver::emitFrom(size_t Depth, const Domain &Part, const Value &At,
                      const std::function<void(const Progression &)> &Emit) const {
  Value Here;
  const auto Fixed = [&](Wide I) {
    Here = At;
    return fix(Here, Enumerated[Depth], I);
  };
  if (Depth + 1 == Enumerated.size())
    enumerateLast(Part, [&](const Box &Ranges, Wide I) {
      if (Fixed(I))
        emitRest(Ranges, Here, Emit);
      return true;
    });
  else
    enumerate(Depth, Part, [&](const Domain &Inner, Wide I) {
      if (Fixed(I))
        emitFrom(Depth + 1, Inner, Here, Emit);
      return true;
    });
}

/// Emits the progression of a box; At has no products.
void Solver::emitRest(const Box &Ranges, const Value &At,
                      const std::function<void(const Progression &)> &Emit) const {
  if (isEmpty(Ranges))
    return;
  Progression P;
  Wide Base = At.Constant, Count = Times;
  for (unsigned U = 0; U < Unknowns; ++U) {
    const Range &R = Ranges[U];
    Base += At.Linear[U] * R.Lo;
    if (R.extent() == 1)
      continue;
    if (At.Linear[U] == 0)
      Count *= R.extent();
    else
      P.Dimensions.push_back(
          {static_cast<int64_t>(At.Linear[U]), static_cast<uint64_t>(R.extent())});
  }
  P.Base = static_cast<int64_t>(Base);
  P.Times = static_cast<uint64_t>(Count);
  Emit(P);
}

bool Solver::anyFrom(size_t Depth, const Domain &Part) const {
  if (Depth + 1 == Enumerated.size())
    return !enumerateLast(Part, [](const Box &, Wide) { return false; });
  return !enumerate(Depth, Part,
                    [&](const Domain &Inner, Wide) { return !anyFrom(Depth + 1, Inner); });
}

/// Plans a part of the launch, splitting it where that helps; returns false if there is no plan.
static bool addPlans(Solver Part, std::vector<Solver> &To) {
  if (!Part.simplify())
    return false;
  if (To.size() < MaxParts)
    if (std::optional<Solver> One = Part.split())
      return addPlans(std::move(*One), To) && addPlans(std::move(Part), To);
  if (!Part.plan())
    return false;
  To.push_back(std::move(Part));
  return true;
}

/// Returns the planned parts of the launch; nothing if the form is not evaluable.
static std::optional<std::vector<Solver>> solve(const ClosedForm &Form, const FormLaunch &Launch) {
  Binder Bind(Form, Launch);
  if (!Bind.valid())
    return std::nullopt;
  std::optional<Value> Address = Bind.bind(Form.Address);
  std::optional<std::vector<Domain>> Parts = domains(Form, Bind, Form.Constraints.size());
  if (!Address || !Parts)
    return std::nullopt;
  std::vector<Solver> Solvers;
  for (Domain &D : *Parts)
    if (!D.empty() && !addPlans(Solver(std::move(D), *Address), Solvers))
      return std::nullopt;
  Wide Cost = 0;
  for (const Solver &S : Solvers)
    Cost += S.cost();
  return Cost <= Wide(EnumerationLimit) ? std::optional(std::move(Solvers)) : std::nullopt;
}

bool holds(const ClosedForm &Form, const FormLaunch &Launch) {
  Binder Bind(Form, Launch);
  return Bind.valid() &&
         std::all_of(Form.Conditions.begin(), Form.Conditions.end(),
                     [&](const FormCondition &C) { return holds(C, Form, Bind); }) &&
         solve(Form, Launch).has_value();
}

bool accessesAny(const ClosedForm &Form, const FormLaunch &Launch) {
  std::optional<std::vector<Solver>> Parts = solve(Form, Launch);
  return Parts &&
         std::any_of(Parts->begin(), Parts->end(), [](const Solver &S) { return S.any(); });
}

bool forEachProgression(const ClosedForm &Form, const FormLaunch &Launch,
                        const std::function<void(const Progression &)> &Emit) {
  std::optional<std::vector<Solver>> Parts = solve(Form, Launch);
  if (!Parts)
    return false;
  for (const Solver &S : *Parts)
    S.emit(Emit);
  return true;
}

//===----------------------------------------------------------------------===//
// Bound forms
//===----------------------------------------------------------------------===//

static BoundPolynomial bound(const Value &V) {
  BoundPolynomial P;
  P.Constant = static_cast<int64_t>(V.Constant);
  for (unsigned U = 0; U < Unknowns; ++U)
    P.Linear[U] = static_cast<int64_t>(V.Linear[U]);
  for (const Value::Product &Of : V.Products)
    P.Products.push_back({static_cast<int64_t>(Of.Coefficient), Of.Factors});
  return P;
}

/// Returns the bounding box of all parts; nothing if all are empty.
static std::optional<Box> hull(std::vector<Domain> &Parts) {
  std::optional<Box> Hull;
  for (Domain &D : Parts) {
    narrow(D);
    if (D.empty())
      continue;
    if (!Hull)
      Hull = D.Ranges;
    for (unsigned U = 0; U < Unknowns; ++U) {
      (*Hull)[U].Lo = std::min((*Hull)[U].Lo, D.Ranges[U].Lo);
      (*Hull)[U].Hi = std::max((*Hull)[U].Hi, D.Ranges[U].Hi);
    }
  }
  return Hull;
}

std::optional<BoundForm> bindForm(const ClosedForm &Form, const FormLaunch &Launch) {
  constexpr Wide Largest = Wide(1) << 61;
  Binder Bind(Form, Launch);
  if (!Bind.valid())
    return std::nullopt;
  std::optional<Value> Address = Bind.bind(Form.Address);
  std::optional<std::vector<Domain>> Parts = domains(Form, Bind, Form.Constraints.size());
  if (!Address || !Parts)
    return std::nullopt;
  BoundForm Result;
  Result.Loops = Form.Loops;
  Result.Address = bound(*Address);
  const std::optional<Box> Reached = hull(*Parts);
  Result.Empty = !Reached;
  if (!Reached)
    return Result;
  Box All = Bind.box();
  for (unsigned L = 0; L < GMPROF_FORM_LOOPS; ++L) {
    All[Loops + L] = {0, (*Reached)[Loops + L].Hi};
    if (!All[Loops + L].bounded() || All[Loops + L].Hi > Largest)
      return std::nullopt;
    Result.LastIteration[L] = static_cast<int64_t>(All[Loops + L].Hi);
  }
  if (magnitude(*Address, All) > Largest)
    return std::nullopt;
  for (const FormConstraint &C : Form.Constraints) {
    const std::optional<Value> V = Bind.bind(C.Value);
    if (!V || magnitude(*V, All) > Largest)
      return std::nullopt;
    Result.Constraints.push_back({C.Loop, bound(*V)});
  }
  const Range Addresses = boundsOf(*Address, *Reached);
  Result.LowestAddress = static_cast<int64_t>(Addresses.Lo);
  Result.HighestAddress = static_cast<int64_t>(Addresses.Hi);
  return Result;
}

} // namespace gmprof
