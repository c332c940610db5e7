// Co-clustering: groups the rows and the columns of a matrix at the same time, so
// that where a group of rows meets a group of columns, all values are close to
// their mean. Users and films, say: values are ratings of 1 to 5.
//
// A round is three kernels: `assignRows` puts each row into the group whose means
// are closest, given the columns' groups; `assignColumns` does so for columns; and
// `updateMeans` finds the means of the groups. The first two hold in shared memory
// what all threads read at the same time: the loops over groups and columns are
// those of figure 2 of the paper, where an address does not depend on the thread,
// or not on the outermost loop.
//
// Means are rounded to sixteenths. Sums of squares are exact then, in float for the
// columns of a row and in double for all rows, so host and device must agree on
// every group.

#include "../example.h"

#include <cmath>

constexpr int RowGroups = 8, ColumnGroups = 4;
constexpr int Columns = 64;
constexpr int Threads = 64;
constexpr int RowsPerThread = 2;
constexpr int Rounds = 4;

/// Each thread takes `RowsPerThread` rows.
__global__ void assignRows(const unsigned char *data, int Rows, const float *means,
                           const int *rowCounts, const int *columnGroups, int *rowGroups) {
  __shared__ float mean[RowGroups][ColumnGroups];
  __shared__ int rowCount[RowGroups];
  __shared__ int columnGroup[Columns];
  const int T = threadIdx.x;
  if (T < RowGroups * ColumnGroups)
    mean[T / ColumnGroups][T % ColumnGroups] = means[T];
  if (T < RowGroups)
    rowCount[T] = rowCounts[T];
  columnGroup[T] = columnGroups[T];
  __syncthreads();

  for (int Row = blockIdx.x * Threads + T; Row < Rows; Row += int(gridDim.x) * Threads) {
    float Closest = INFINITY;
    int Best = 0;
    for (int Group = 0; Group < RowGroups; ++Group)
      if (rowCount[Group] > 0) {
        float Distance = 0.0f;
        for (int Column = 0; Column < Columns; ++Column) {
          const float Difference = data[Row * Columns + Column] - mean[Group][columnGroup[Column]];
          Distance += Difference * Difference;
        }
        if (Distance < Closest) {
          Closest = Distance;
          Best = Group;
        }
      }
    rowGroups[Row] = Best;
  }
}

/// A block for each column: threads share its rows, and add up their results.
__global__ void assignColumns(const unsigned char *data, int Rows, const float *means,
                              const int *columnCounts, const int *rowGroups, int *columnGroups) {
  __shared__ double distance[ColumnGroups][Threads];
  const int T = threadIdx.x, Column = blockIdx.x;
  double Mine[ColumnGroups] = {};
  for (int Row = T; Row < Rows; Row += Threads)
    for (int Group = 0; Group < ColumnGroups; ++Group) {
      const float Difference =
          data[Row * Columns + Column] - means[rowGroups[Row] * ColumnGroups + Group];
      Mine[Group] += Difference * Difference;
    }
  for (int Group = 0; Group < ColumnGroups; ++Group)
    distance[Group][T] = Mine[Group];
  __syncthreads();

  for (int Span = Threads / 2; Span > 0; Span /= 2) {
    if (T < Span)
      for (int Group = 0; Group < ColumnGroups; ++Group)
        distance[Group][T] += distance[Group][T + Span];
    __syncthreads();
  }
  if (T == 0) {
    int Best = 0;
    double Closest = INFINITY;
    for (int Group = 0; Group < ColumnGroups; ++Group)
      if (columnCounts[Group] > 0 && distance[Group][0] < Closest) {
        Closest = distance[Group][0];
        Best = Group;
      }
    columnGroups[Column] = Best;
  }
}

__host__ __device__ inline float roundedMean(int Sum, int Count) {
  return floorf(float(Sum) * 16.0f / float(Count) + 0.5f) / 16.0f;
}

/// A block for each pair of groups. Sums are of integers, so any order is exact.
__global__ void updateMeans(const unsigned char *data, int Rows, const int *rowGroups,
                            const int *columnGroups, float *means) {
  __shared__ int sum, count;
  const int T = threadIdx.x, RowGroup = blockIdx.x / ColumnGroups,
            ColumnGroup = blockIdx.x % ColumnGroups;
  if (T == 0)
    sum = count = 0;
  __syncthreads();
  if (columnGroups[T] == ColumnGroup) {
    int Sum = 0, Count = 0;
    for (int Row = 0; Row < Rows; ++Row)
      if (rowGroups[Row] == RowGroup) {
        Sum += data[Row * Columns + T];
        ++Count;
      }
    atomicAdd(&sum, Sum);
    atomicAdd(&count, Count);
  }
  __syncthreads();
  if (T == 0 && count > 0)
    means[blockIdx.x] = roundedMean(sum, count);
}

/// Returns the number of rows (columns) in each group.
static std::vector<int> countGroups(const std::vector<int> &Groups, int NumGroups) {
  std::vector<int> Counts(NumGroups, 0);
  for (const int Group : Groups)
    ++Counts[Group];
  return Counts;
}

struct Clustering {
  std::vector<int> RowGroup, ColumnGroup;
  std::vector<float> Mean;
};

static void clusterOnHost(const std::vector<unsigned char> &Data, int Rows, Clustering &Result) {
  const auto UpdateMeans = [&] {
    std::vector<int> Sum(RowGroups * ColumnGroups, 0), Count(RowGroups * ColumnGroups, 0);
    for (int Row = 0; Row < Rows; ++Row)
      for (int Column = 0; Column < Columns; ++Column) {
        const int Pair = Result.RowGroup[Row] * ColumnGroups + Result.ColumnGroup[Column];
        Sum[Pair] += Data[Row * Columns + Column];
        ++Count[Pair];
      }
    for (size_t Pair = 0; Pair < Sum.size(); ++Pair)
      if (Count[Pair] > 0)
        Result.Mean[Pair] = roundedMean(Sum[Pair], Count[Pair]);
  };
  UpdateMeans();
  for (int Round = 0; Round < Rounds; ++Round) {
    const std::vector<int> RowCount = countGroups(Result.RowGroup, RowGroups);
    for (int Row = 0; Row < Rows; ++Row) {
      double Closest = INFINITY;
      for (int Group = 0; Group < RowGroups; ++Group) {
        double Distance = 0.0;
        for (int Column = 0; Column < Columns; ++Column)
          Distance += std::pow(Data[Row * Columns + Column] -
                                   Result.Mean[Group * ColumnGroups + Result.ColumnGroup[Column]],
                               2.0);
        if (RowCount[Group] > 0 && Distance < Closest) {
          Closest = Distance;
          Result.RowGroup[Row] = Group;
        }
      }
    }
    const std::vector<int> ColumnCount = countGroups(Result.ColumnGroup, ColumnGroups);
    for (int Column = 0; Column < Columns; ++Column) {
      double Closest = INFINITY;
      for (int Group = 0; Group < ColumnGroups; ++Group) {
        double Distance = 0.0;
        for (int Row = 0; Row < Rows; ++Row)
          Distance += std::pow(Data[Row * Columns + Column] -
                                   Result.Mean[Result.RowGroup[Row] * ColumnGroups + Group],
                               2.0);
        if (ColumnCount[Group] > 0 && Distance < Closest) {
          Closest = Distance;
          Result.ColumnGroup[Column] = Group;
        }
      }
    }
    UpdateMeans();
  }
}

int main(int Argc, char **Argv) {
  const int Rows = problemSize(Argc, Argv, 512, Threads * RowsPerThread);
  // Ratings by group, some of them off by one; at first a quarter of all rows and
  // columns are in a group that is not theirs.
  Random Numbers;
  Clustering Start{std::vector<int>(Rows), std::vector<int>(Columns),
                   std::vector<float>(RowGroups * ColumnGroups, 0.0f)};
  const auto MostlyOwn = [&](int Index, int Groups) {
    return int(Numbers.below(4) == 0 ? Numbers.below(Groups) : unsigned(Index % Groups));
  };
  for (int Row = 0; Row < Rows; ++Row)
    Start.RowGroup[Row] = MostlyOwn(Row, RowGroups);
  for (int Column = 0; Column < Columns; ++Column)
    Start.ColumnGroup[Column] = MostlyOwn(Column, ColumnGroups);
  std::vector<unsigned char> Data(size_t(Rows) * Columns);
  unsigned char Rating[RowGroups][ColumnGroups];
  for (auto &OfRows : Rating)
    for (unsigned char &Value : OfRows)
      Value = static_cast<unsigned char>(2 + Numbers.below(3));
  for (int Row = 0; Row < Rows; ++Row)
    for (int Column = 0; Column < Columns; ++Column)
      Data[Row * Columns + Column] = static_cast<unsigned char>(
          Rating[Row % RowGroups][Column % ColumnGroups] + Numbers.below(3) - 1);

  const DeviceArray<unsigned char> DeviceData(Data);
  const DeviceArray<int> RowGroup(Start.RowGroup), ColumnGroup(Start.ColumnGroup);
  const DeviceArray<float> Mean(Start.Mean);
  DeviceArray<int> RowCount(RowGroups), ColumnCount(ColumnGroups);
  const auto UpdateMeans = [&] {
    updateMeans<<<RowGroups * ColumnGroups, Columns>>>(DeviceData, Rows, RowGroup, ColumnGroup,
                                                       Mean);
  };
  launch("updateMeans", UpdateMeans);
  for (int Round = 0; Round < Rounds; ++Round) {
    RowCount.upload(countGroups(RowGroup.download(), RowGroups));
    launch("assignRows", [&] {
      assignRows<<<Rows / (Threads * RowsPerThread), Threads>>>(DeviceData, Rows, Mean, RowCount,
                                                                ColumnGroup, RowGroup);
    });
    ColumnCount.upload(countGroups(ColumnGroup.download(), ColumnGroups));
    launch("assignColumns", [&] {
      assignColumns<<<Columns, Threads>>>(DeviceData, Rows, Mean, ColumnCount, RowGroup,
                                          ColumnGroup);
    });
    launch("updateMeans", UpdateMeans);
  }

  Clustering Expected = Start;
  clusterOnHost(Data, Rows, Expected);
  const bool Passed = RowGroup.download() == Expected.RowGroup &&
                      ColumnGroup.download() == Expected.ColumnGroup &&
                      Mean.download() == Expected.Mean;
  int Moved = 0;
  for (int Row = 0; Row < Rows; ++Row)
    Moved += Expected.RowGroup[Row] != Start.RowGroup[Row];
  std::printf("coclustering: %d x %d ratings, %d rows changed their group: %s\n", Rows, Columns,
              Moved, Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}
