// Accesses of two devices, which launch at the same time: each has counters of its own, also of
// the memory of the other one and of managed memory.
// DEVICES: 2
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: sorted((m.object["device"], m.object["name"], m.reads, m.writes)
//     for m in kernel("turn").memory) == [
//     (0, "My.Data", [2] * 256, None), (0, "My.Turned", None, [2] * 256),
//     (1, "My.Data", [3] * 512, None), (1, "My.Turned", None, [3] * 512)]
// EXPECT: sorted((m.object["device"], m.object["name"], m.reads, m.writes)
//     for m in kernel("gather").memory) == [
//     (0, "My.Data", [4] * 256, None), (0, "My.Sums", [4] * 256, [4] * 256),
//     (0, "My.Turned", [5] * 256, None), (1, "Copied", [1] * 256, None),
//     (1, "My.Data", [7] * 256 + [5] * 256, None),
//     (1, "My.Sums", [7] * 256 + [5] * 256, [7] * 256 + [5] * 256),
//     (1, "My.Turned", [5] * 512, None)]
// EXPECT: memory("add", "Totals").atomics == [256 // 8 + 512 // 8] * 8
// EXPECT: coverage["whole"]
#include "devices.h"
