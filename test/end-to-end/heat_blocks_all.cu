// All blocks: warps of different blocks with the same number count as one. Warp 0 accesses words 8
// b to 8 b + 31, for b 0 to 2: 0 to 47; warp 1 accesses 32 to 75. The other kernel does the same
// except in block 1: 0 to 31 and 16 to 47, and 32 to 63 and 48 to 79.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// EXPECT-SAME-HEAT:
// OPTIONS: profile=heat
// OPTIONS: heat-blocks=all
// EXPECT: heat("blocks", 320).words == [1] * 32 + [2] * 16 + [1] * 28 + [0] * 4
// EXPECT: heat("blocks", 320).sectors == [1] * 4 + [2] * 2 + [1] * 4
// EXPECT: heat("blocks", 320).accesses == 3 * 60
// EXPECT: heat("some", 352).words == [1] * 32 + [2] * 16 + [1] * 32 + [0] * 8
// EXPECT: heat("some", 352).accesses == 2 * 64
#include "Inputs/heat_blocks.h"
