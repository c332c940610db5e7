// Every second block, from the first: 0 and 2.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// OPTIONS: heat-blocks=0:3:2
// EXPECT: heat("blocks", 320).words == [1] * 32 + [2] * 16 + [1] * 28 + [0] * 4
// EXPECT: heat("blocks", 320).accesses == 2 * 60
// EXPECT: heat("some", 352).accesses == 2 * 64
#include "Inputs/heat_blocks.h"
