//===- symbols.h - Names of clones and descriptors ----------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_SYMBOLS_H
#define GMPROF_ABI_SYMBOLS_H

/// The pass leaves kernel K unchanged and adds clones beside it. A clone has the parameters of K
/// and one hidden trailing parameter, passed by value.
///
///   K__gm_shared      counts accesses to shared memory with counters in shared memory, except
///                     for those that the descriptor describes (GmprofStaticDesc,
///                     GmprofFormDesc); trailing parameter: struct GmprofSharedLaunch. Absent if
///                     the descriptor describes all accesses: the kernel itself runs then.
///   K__gm_shared_all  also counts accesses with closed forms and live ranges. Runs in launches
///                     in which a closed form does not hold or the number of accesses is known
///                     only to the blocks. Absent if K__gm_shared counts all.
///   K__gm_shared_dm   counts all accesses to shared memory with counters in device memory, for
///                     launches whose shared memory has no room for counters. Present only where
///                     that can happen: kernels with dynamic shared memory, and levels without
///                     counters in shared memory.
///   K__gm_global      counts accesses to global memory, except for those with a closed form
///                     (GmprofFormDesc); trailing parameter: struct GmprofGlobalLaunch. Absent
///                     if closed forms describe all: the kernel itself runs then.
///   K__gm_global_all  also counts accesses with closed forms, for launches in which a closed
///                     form does not hold. Absent if there is no closed form.
///   K__gm_objects     records which objects it accesses, unless the launch determines that
///                     (GmprofTouchDesc); trailing parameter: struct GmprofObjectsLaunch. Absent
///                     if the launch determines all: the kernel itself runs then.
///   K__gm_heat        records which warps access which words of global and shared memory, in
///                     the blocks that the launch names, except for accesses with a closed form
///                     (GmprofHeatFormDesc); trailing parameter: struct GmprofHeatLaunch. Absent
///                     if closed forms describe all: the kernel itself runs then.
///   K__gm_heat_all    also records accesses with closed forms, for launches in which a closed
///                     form does not hold. Absent if there is no closed form.
///   K__gm_cache       writes a record for each request to global and local memory; trailing
///                     parameter: struct GmprofTraceLaunch. Absent if there are no requests.
///   K__gm_blocks      records where and when each block runs (placement.h), and nothing else;
///                     trailing parameter: struct GmprofTraceLaunch. Exists beside K__gm_cache.
///
/// The clones present also depend on how the program was compiled (-gm-profile).
#define GMPROF_SHARED_CLONE_SUFFIX "__gm_shared"
#define GMPROF_SHARED_ALL_CLONE_SUFFIX "__gm_shared_all"
#define GMPROF_SHARED_DM_CLONE_SUFFIX "__gm_shared_dm"
#define GMPROF_GLOBAL_CLONE_SUFFIX "__gm_global"
#define GMPROF_GLOBAL_ALL_CLONE_SUFFIX "__gm_global_all"
#define GMPROF_OBJECTS_CLONE_SUFFIX "__gm_objects"
#define GMPROF_HEAT_CLONE_SUFFIX "__gm_heat"
#define GMPROF_HEAT_ALL_CLONE_SUFFIX "__gm_heat_all"
#define GMPROF_CACHE_CLONE_SUFFIX "__gm_cache"
#define GMPROF_BLOCKS_CLONE_SUFFIX "__gm_blocks"

/// Kernel K's descriptor: a constant global `__gm_kernel_K` in the device module
/// (K is the mangled name), weak, so that relocatable device code links.
#define GMPROF_KERNEL_DESC_PREFIX "__gm_kernel_"

/// Descriptor of a device function F that other translation units may call, in the format of a
/// kernel's. Holds the sites of F and of the functions it calls that only its own translation unit
/// can call.
#define GMPROF_FUNCTION_DESC_PREFIX "__gm_function_"

/// Prefix of all symbols that GMProf adds to device code.
#define GMPROF_SYMBOL_PREFIX "__gm_"

#endif // GMPROF_ABI_SYMBOLS_H
