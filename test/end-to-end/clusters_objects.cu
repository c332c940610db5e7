// Addresses of other blocks' shared memory are looked for among the objects of global memory, where
// the kernel may have one of either, and are in none.
// BUILD: -O2 -g
// BUILD: -O2 -g -rdc=true
// BUILD: -O0 -g
// OPTIONS: profile=objects
// EXPECT: accesses("exchange") == [("out", 0, 1, "exact")]
// EXPECT: coverage["whole"]
#include "clusters.h"

int main() { runExchange(); }
