// A trace contains requests of one device, the first one that launches; the coverage names the
// other device's launches. This test does not determine which device is first.
// DEVICES: 2
// BUILD: -O2 -g
// OPTIONS: profile=cache
// EXPECT: (coverage["launches"]["seen"], coverage["launches"]["profiled"],
//     coverage["launches"]["not_selected"]) == (18, 6, 6)
// EXPECT: {k: sorted({(g["mode"], g["reason"]) for g in kernel(k).data["launches"]})
//     for k in ("add",)} == {"add": [("cache", ""),
//     ("refused", "a trace is of one device, and this is another one")]}
#include "devices.h"
