#ifndef ROWS_H
#define ROWS_H

constexpr int Rows = 4, Columns = 64;

/// Adds up each row: Sums[R] is the sum of In[R * Columns …].
void sumRows(const int *In, int *Sums);

/// Returns the sum of all sums; host code.
int total(const int *Sums);

#endif
