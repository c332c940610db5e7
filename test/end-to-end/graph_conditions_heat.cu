// In a body that runs 600 times, two warps load and store their words of `data`, and a thread loads
// and stores the one of `left`. All accesses are recorded, including those with closed forms.
// BUILD: -O2 -g -rdc=true
// BUILD: -O2 -g -rdc=true -mllvm -gm-heat-closed-forms=false
// OPTIONS: profile=heat
// EXPECT: kernel("step").data["heat"]["launches_sampled"] == 600
// EXPECT: kernel("step").data["heat"]["requests"] == 600 * (2 + 2 + 1 + 1)
// EXPECT: heat("step", "data").words == [1] * 64
// EXPECT: coverage["launches"]["seen"] == coverage["launches"]["profiled"] == 600
// EXPECT: coverage["accesses"]["counted"] == 600 * (64 + 64 + 1 + 1)
// EXPECT: coverage["gaps"] == [{"what": "requests", "reason": "counted as in the PTX: "
//     "GMProf does not know the machine code of their kernels", "count": 3600}]
// EXPECT-OUTPUT: 600 663
#include "conditional_loop.h"

int main() { runGraph(); }
