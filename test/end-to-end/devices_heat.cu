// Heat of two devices that launch at the same time: on each, launches 1, 2 and 4 of a kernel are
// recorded, with one block of two warps.
// DEVICES: 2
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: {k: kernel(k).data["heat"]["launches_sampled"] for k in ("turn", "gather", "add")}
//     == {"turn": 2 + 2, "gather": 3 + 3, "add": 1 + 1}
// EXPECT: sorted((summary["objects"][o["object"]]["device"],
//     summary["objects"][o["object"]]["name"], sum(l["requests"] for l in o["lines"]))
//     for o in kernel("gather").data["heat"]["objects"]) == [
//     (d, name, 2 * 3 * times) for d in (0, 1)
//     for name, times in (("My.Data", 1), ("My.Sums", 2), ("My.Turned", 1))]
// EXPECT: sorted((summary["objects"][o["object"]]["device"],
//     summary["objects"][o["object"]]["name"], sum(l["requests"] for l in o["lines"]))
//     for o in kernel("add").data["heat"]["objects"]) == [
//     (0, "My.Data", 2), (1, "My.Data", 2), (1, "Totals", 4)]
// EXPECT: coverage["launches"]["not_selected"] == 1 + (1 + 4)
#include "devices.h"
