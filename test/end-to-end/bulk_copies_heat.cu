// Each piece of 16 bytes of a bulk copy is recorded for the warp that starts it, and is not
// reported as an access that lanes could make together.
// BUILD: -O2 -g
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT: heat_findings() == []
#include "bulk_copies.h"

int main() { runCopies(); }
