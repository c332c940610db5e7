// Shared memory of two devices, which launch at the same time.
// DEVICES: 2
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
// OPTIONS: profile=shared
// EXPECT: shared("turn", "tile").counts == [2 * (2 * 4 + 3 * 8)] * 64
// EXPECT: shared("turn", "tile").blocks == 2 * 4 + 3 * 8
// EXPECT: kernel("turn").data["devices"] == [0, 1]
// EXPECT: coverage["gaps"] == []
#include "devices.h"
