// A sparse tensor times a matrix, version 1: each of 256 threads has a word of the results in
// shared memory of its own, and stores 4 rows of y of which each is a warp's. The bounds of a
// fibre are read by its warp, and those between two fibres by both.
// EXAMPLE: heat/tensor_v1.cu
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// EXPECT-SAME-HEAT:
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [
//     ("shared_memory_abuse", "thread_local", "results")]
// EXPECT: heat("multiply", "results").sharers == "T" * 256
// EXPECT: heat("multiply", "results").words == [1] * 256
// EXPECT: heat("multiply", "y").words == ([1] * 256 + [0] * 7 * 256) * 4
// EXPECT: heat("multiply", "begin").words == [
//     0 if f % 64 > 8 or f == 256 else 1 if f % 64 in (0, 8) else 2 for f in range(257)]
