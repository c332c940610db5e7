//===- Texture.cpp - PTX texture and surface instructions -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Textures have one level of detail; operands that select a level are parsed and ignored.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "cpu/Texture.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

namespace {

/// Geometry of an operation: .1d, .a2d, .acube …; the prefix a denotes layers.
struct Geometry {
  TextureShape Shape;
  bool Layers;

  static std::optional<Geometry> take(Modifiers &Mods) {
    StringRef Name = Mods.next();
    const bool Layers = Name.consume_front("a");
    auto Shape = StringSwitch<std::optional<TextureShape>>(Name)
                     .Case("1d", TextureShape::OneD)
                     .Case("2d", TextureShape::TwoD)
                     .Case("3d", TextureShape::ThreeD)
                     .Case("cube", TextureShape::Cube)
                     .Default(std::nullopt);
    if (!Shape || (Layers && *Shape == TextureShape::ThreeD))
      return std::nullopt;
    return Geometry{*Shape, Layers};
  }
  unsigned dimensions() const { return std::min(unsigned(Shape), 3u); }
};

/// Operand [handle, {layer, x, y, z}]; absent parts are empty.
struct Place {
  Value *Handle = nullptr, *Layer = nullptr;
  SmallVector<Value *, 3> Coordinates; ///< 32 bits each
};

} // namespace

static std::optional<Place> readPlace(Emitter &E, const Operand &O, const Geometry &G) {
  if (O.K != Operand::Kind::Address || O.Parts.size() != 2)
    return std::nullopt;
  const ArrayRef<Operand> Parts =
      O.Parts[1].K == Operand::Kind::Vector ? ArrayRef(O.Parts[1].Parts) : ArrayRef(O.Parts[1]);
  if (Parts.size() < G.dimensions() + G.Layers)
    return std::nullopt;
  Place P;
  P.Handle = E.read(O.Parts[0], bitsType(64));
  P.Layer = G.Layers ? E.read(Parts[0], bitsType(32)) : E.B.getInt32(0);
  for (unsigned I = 0; I != G.dimensions(); ++I)
    P.Coordinates.push_back(E.read(Parts[I + G.Layers], bitsType(32)));
  return P;
}

static Value *stored(Emitter &E, ArrayRef<Value *> Values) {
  const unsigned Bytes = Values.front()->getType()->getPrimitiveSizeInBits() / 8;
  Value *Memory = E.Context.scratch(E.B, Bytes * Values.size());
  for (unsigned I = 0; I != Values.size(); ++I)
    E.B.CreateStore(Values[I], E.B.CreateConstGEP1_64(E.B.getInt8Ty(), Memory, I * Bytes));
  return Memory;
}

/// Writes the values in Memory to registers.
static void writeAll(Emitter &E, ArrayRef<Operand> To, Value *Memory, const Type &Ty) {
  for (unsigned I = 0; I != To.size(); ++I) {
    Value *From = E.B.CreateConstGEP1_64(E.B.getInt8Ty(), Memory, I * (Ty.Bits / 8));
    E.write(To[I], E.B.CreateLoad(E.irType(Ty), From), Ty);
  }
}

/// Returns the registers of a result. A sparse fetch has {d}|p, whose predicate is always true.
static ArrayRef<Operand> results(Emitter &E, const Operand &O) {
  if (O.K != Operand::Kind::Pair)
    return O.Parts;
  E.write(O.Parts[1], E.B.getTrue(), predType());
  return O.Parts[0].Parts;
}

static Value *number(Emitter &E, uint32_t N) { return E.B.getInt32(N); }

/// Fetches four words from the place in operand 1.
static bool fetch(Emitter &E, const Geometry &G, unsigned Gather) {
  if (!E.Mods.take("v4"))
    return false;
  const std::optional<Type> Result = E.takeType(), Coordinate = E.takeType();
  if (!Result || !Coordinate || Result->totalBits() != 32 || Coordinate->totalBits() != 32)
    return false;
  const ArrayRef<Operand> Out = results(E, E.operand(0));
  std::optional<Place> P = readPlace(E, E.operand(1), G);
  if (!P || Out.size() != 4)
    return false;
  Value *Words = E.Context.scratch(E.B, 16);
  llvm::Type *Void = E.B.getVoidTy();
  if (Coordinate->isFloat())
    E.Context.callHelper(E.B, "gm_texture_fetch", Void,
                         {P->Handle, number(E, unsigned(G.Shape)), number(E, G.Layers), P->Layer,
                          number(E, Gather), stored(E, P->Coordinates), Words});
  else if (G.Shape == TextureShape::OneD && !G.Layers)
    E.Context.callHelper(E.B, "gm_texture_fetch_element", Void,
                         {P->Handle, P->Coordinates[0], Words});
  else
    return E.fail("integer coordinates");
  writeAll(E, Out, Words, bitsType(32));
  return true;
}

/// Lowers tex{.base,.level,.grad}.GEOMETRY.v4.TYPE.TYPE d, [handle, c]{, level}{, dx, dy}.
static bool texture(Emitter &E) {
  E.Mods.takeOneOf({"base", "level", "grad"});
  std::optional<Geometry> G = Geometry::take(E.Mods);
  return G && E.expectOperands(2, 4) && fetch(E, *G, 0);
}

/// Lowers tld4.CHANNEL.2d.v4.TYPE.f32 d, [handle, c].
static bool gather(Emitter &E) {
  const StringRef Channel = E.Mods.takeOneOf({"r", "g", "b", "a"});
  std::optional<Geometry> G = Geometry::take(E.Mods);
  if (Channel.empty() || !G || G->Shape != TextureShape::TwoD || !E.expectOperands(2))
    return false;
  return fetch(E, *G, unsigned(StringRef("rgba").find(Channel)) + 1);
}

/// Lowers suld.b.GEOMETRY{.vN}.TYPE.BOUNDARY d, [handle, c], and sust with its operands exchanged.
static bool surface(Emitter &E, bool Load) {
  if (!E.Mods.take("b"))
    return false;
  std::optional<Geometry> G = Geometry::take(E.Mods);
  const StringRef Vector = E.Mods.takeOneOf({"v2", "v4"});
  const std::optional<Type> Ty = E.takeType();
  const auto Boundary =
      StringSwitch<std::optional<SurfaceBoundary>>(E.Mods.takeOneOf({"zero", "clamp", "trap"}))
          .Case("zero", SurfaceBoundary::Zero)
          .Case("clamp", SurfaceBoundary::Clamp)
          .Case("trap", SurfaceBoundary::Trap)
          .Default(std::nullopt);
  if (!G || G->Shape == TextureShape::Cube || !Ty || !Boundary || !E.expectOperands(2))
    return false;
  const Operand &Registers = E.operand(Load ? 0 : 1);
  const ArrayRef<Operand> Parts =
      Registers.K == Operand::Kind::Vector ? ArrayRef(Registers.Parts) : ArrayRef(Registers);
  const unsigned Count = Vector == "v4" ? 4 : Vector == "v2" ? 2 : 1;
  std::optional<Place> P = readPlace(E, E.operand(Load ? 1 : 0), *G);
  if (!P || Parts.size() != Count)
    return false;
  const Type Bits = bitsType(Ty->totalBits());
  Value *Memory;
  if (Load) {
    Memory = E.Context.scratch(E.B, Count * Bits.Bits / 8);
  } else {
    SmallVector<Value *, 4> Values;
    for (const Operand &O : Parts)
      Values.push_back(E.read(O, Bits));
    Memory = stored(E, Values);
  }
  E.Context.callHelper(E.B, Load ? "gm_surface_read" : "gm_surface_write", E.B.getVoidTy(),
                       {P->Handle, number(E, unsigned(G->Shape)), number(E, unsigned(*Boundary)),
                        number(E, G->Layers), P->Layer, stored(E, P->Coordinates),
                        number(E, Count * Bits.Bits / 8), Memory});
  if (Load)
    writeAll(E, Parts, Memory, Bits);
  return true;
}

std::span<const RuleEntry> textureInstructions() {
  static const RuleEntry Rules[] = {
      {"tex", texture},
      {"tld4", gather},
      {"suld", [](Emitter &E) { return surface(E, true); }},
      {"sust", [](Emitter &E) { return surface(E, false); }},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
