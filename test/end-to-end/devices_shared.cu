// Shared memory of two devices, which launch at the same time.
// DEVICES: 2
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
// OPTIONS: profile=shared
// EXPECT: shared("turn", "tile").counts == [2 * (2 * 4 + 3 * 8)] * 64
// EXPECT: shared("turn", "tile").blocks == 2 * 4 + 3 * 8
// EXPECT: kernel("turn").data["devices"] == [0, 1]
// EXPECT: sorted((g["device"], g["grid"][0], g["count"]) for g in kernel("turn").data["launches"])
//     == [(0, 4, 2), (1, 8, 3)]
// EXPECT: coverage["gaps"] == []
#include "devices.h"
