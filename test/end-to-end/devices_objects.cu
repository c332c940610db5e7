// Objects of two devices: which has which, its peak, and which launches access them, through
// copies and access to the memory of the other one too.
// DEVICES: 2
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [d["id"] for d in summary["devices"]] == [0, 1]
// EXPECT: sorted((o["device"], o["name"], o["bytes"], o["kind"], o["released"])
//     for o in summary["objects"]) == sorted(
//     [(d, name, 1024 * (d + 1), "device", True) for d in (0, 1)
//      for name in ("My.Data", "My.Turned", "My.Sums")] +
//     [(1, "Copied", 1024, "device", True), (1, "Totals", 32, "managed", True)])
// EXPECT: [(d["device"], d["peak_bytes"], d["bytes_at_end"]) for d in summary["memory"]["devices"]]
//     == [(0, 3 * 1024, 0), (1, 3 * 2048 + 1024 + 32, 0)]
// EXPECT: {k["name"]: sorted((summary["objects"][a["object"]]["device"],
//     summary["objects"][a["object"]]["name"], a["reads"], a["writes"])
//     for a in k["object_accesses"]) for k in summary["kernels"]} == {
//     "_Z4turnPiPKi": [(0, "My.Data", 2, 0), (0, "My.Turned", 0, 2),
//         (1, "My.Data", 3, 0), (1, "My.Turned", 0, 3)],
//     "_Z6gatherPiPKiS1_": [(0, "My.Data", 4, 0), (0, "My.Sums", 4, 4), (0, "My.Turned", 5, 0),
//         (1, "Copied", 1, 0), (1, "My.Data", 7, 0), (1, "My.Sums", 7, 7), (1, "My.Turned", 5, 0)],
//     "_Z3addPiPKi": [(0, "My.Data", 1, 0), (1, "My.Data", 1, 0), (1, "Totals", 2, 2)]}
// EXPECT: coverage["whole"]
// EXPECT-OUTPUT: totals: 96 96
#include "devices.h"
