// Each piece of 16 bytes of a bulk copy is noted for the warp that has it made, and is found to be
// no access that lanes could make together.
// BUILD: -O2 -g
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT: heat_findings() == []
#include "bulk_copies.h"

int main() { runCopies(); }
