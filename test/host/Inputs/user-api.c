/* Without libgmprof.so, all of gmprof/gmprof.h does nothing. */
#include <gmprof/gmprof.h>
#include <stdio.h>

int main(void) {
  char slab[64];
  gmprof_push_region("region");
  gmprof_pool pool = gmprof_pool_create(slab, sizeof(slab), "slab");
  gmprof_alloc(pool, slab, 8, "part");
  gmprof_name(slab, "name");
  gmprof_free(pool, slab);
  gmprof_pool_destroy(pool);
  gmprof_pop_region();
  printf("pool %d\n", (int)pool);
  return 0;
}
