// Block 1 alone; in the other kernel it does nothing.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// OPTIONS: heat-blocks=1
// EXPECT: heat("blocks", 320).words == [0] * 8 + [1] * 60 + [0] * 12
// EXPECT: heat("blocks", 320).accesses == 60
// EXPECT: heat_launches("some") == []
// EXPECT: coverage["launches"]["profiled"] == 2
#include "Inputs/heat_blocks.h"
