/*===- gmprof.h - What a program can tell GMProf ------------------*- C -*-===*\
|*
|* Part of the GMProf project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/
/*
 * For C and C++, nothing to link: the functions look for libgmprof.so in the process
 * at the first call, and do nothing where it is not loaded. All of them may be called
 * from several threads at a time. Names are copied.
 *
 * A program that cuts its memory from larger allocations (slabs) by itself makes a
 * pool of each slab, and says what it hands out and takes back:
 *
 *   cudaMalloc(&slab, 1 << 30);
 *   gmprof_pool pool = gmprof_pool_create(slab, 1 << 30, "arena");
 *   float *a = arena_get(n * sizeof(float));
 *   gmprof_alloc(pool, a, n * sizeof(float), "a");
 *   ...
 *   gmprof_free(pool, a);
 *   gmprof_pool_destroy(pool);
 *   cudaFree(slab);
 *
 * Each such part is then an object of its own, as if cudaMalloc had made it, and the
 * report says how much of the slab was in use at most.
 */
#ifndef GMPROF_GMPROF_H
#define GMPROF_GMPROF_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming,modernize-*): C */
#ifdef __cplusplus
extern "C" {
#endif

/* Handle of a pool; 0 is no pool. */
typedef uint64_t gmprof_pool;

/* Table of functions that libgmprof.so exports as gmprof_user_api(GMPROF_USER_API_VERSION). */
#define GMPROF_USER_API_VERSION 1
struct gmprof_user_functions {
  gmprof_pool (*pool_create)(const void *slab, size_t bytes, const char *name);
  void (*pool_destroy)(gmprof_pool pool);
  void (*alloc)(gmprof_pool pool, const void *pointer, size_t bytes, const char *name);
  void (*free)(gmprof_pool pool, const void *pointer);
  void (*name)(const void *pointer, const char *name);
  void (*push_region)(const char *name);
  void (*pop_region)(void);
};
typedef const struct gmprof_user_functions *gmprof_user_api_function(unsigned version);

/* Returns the functions of libgmprof.so, or null if it is not loaded. */
static inline const struct gmprof_user_functions *gmprof_user_find(void) {
  static const struct gmprof_user_functions *functions;
  static int looked;
  if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
    const struct gmprof_user_functions *found = 0;
    gmprof_user_api_function *api = 0;
    /* Handle 0 is RTLD_DEFAULT: libraries are searched in load order. */
    *(void **)&api = dlsym((void *)0, "gmprof_user_api");
    if (api)
      found = api(GMPROF_USER_API_VERSION);
    __atomic_store_n(&functions, found, __ATOMIC_RELAXED);
    __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&functions, __ATOMIC_RELAXED);
}

/* Creates a pool on a slab, which must lie in one allocation of the program. An allocator with
 * several slabs creates one pool per slab. The slab stays an object of its own and is renamed to
 * `name` unless `name` is null. */
static inline gmprof_pool gmprof_pool_create(const void *slab, size_t bytes, const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  return f ? f->pool_create(slab, bytes, name) : 0;
}

/* Destroys a pool and frees all parts still handed out. Freeing the slab has the same effect. */
static inline void gmprof_pool_destroy(gmprof_pool pool) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->pool_destroy(pool);
}

/* Registers [pointer, pointer + bytes) as handed out by the pool. Frees registered parts that
 * overlap it. `name` may be null. */
static inline void gmprof_alloc(gmprof_pool pool, const void *pointer, size_t bytes,
                                const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->alloc(pool, pointer, bytes, name);
}

/* Unregisters the part that the pool handed out at `pointer`. */
static inline void gmprof_free(gmprof_pool pool, const void *pointer) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->free(pool, pointer);
}

/* Names the object that `pointer` points into: an allocation or a part of a pool. */
static inline void gmprof_name(const void *pointer, const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->name(pointer, name);
}

/* Opens a region: timelines label the calling thread's work up to the matching gmprof_pop_region()
 * with `name`. Regions nest. */
static inline void gmprof_push_region(const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->push_region(name);
}

static inline void gmprof_pop_region(void) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->pop_region();
}

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif /* GMPROF_GMPROF_H */
