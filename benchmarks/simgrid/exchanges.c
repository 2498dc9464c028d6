/* What SimGrid runs beside schedlab, for its SMPI: one collective or exchange of all ranks.
 *
 * allreduce BYTES              one MPI_Allreduce
 * stencil BYTES X Y Z          each rank sends to and receives from six neighbours on a periodic grid
 * even-odd BYTES               each even rank and the next one exchange
 *
 * No data is looked at, so that all ranks may share one buffer. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrapped(int place, int extent) { return (place + extent) % extent; }

/* Number of the rank at a place of the grid; the last dimension is fastest, as in MPI_Cart_create. */
static int rank_at(const int *place, const int *extents) {
  return (wrapped(place[0], extents[0]) * extents[1] + wrapped(place[1], extents[1])) * extents[2] +
         wrapped(place[2], extents[2]);
}

static void stencil(char *buffer, int bytes, const int *extents, int rank) {
  const int own[3] = {rank / (extents[1] * extents[2]), rank / extents[2] % extents[1], rank % extents[2]};
  MPI_Request requests[12];
  int count = 0;
  for (int sends = 0; sends < 2; ++sends) {
    for (int dimension = 0; dimension < 3; ++dimension) {
      if (extents[dimension] == 1) continue;
      for (int side = 0; side < 2; ++side) {
        int place[3] = {own[0], own[1], own[2]};
        place[dimension] += side == 0 ? -1 : 1;
        const int peer = rank_at(place, extents);
        if (sends) {
          MPI_Isend(buffer, bytes, MPI_BYTE, peer, 2 * dimension + 1 - side, MPI_COMM_WORLD, &requests[count++]);
        } else {
          MPI_Irecv(buffer, bytes, MPI_BYTE, peer, 2 * dimension + side, MPI_COMM_WORLD, &requests[count++]);
        }
      }
    }
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void even_odd(char *buffer, int bytes, int rank, int size) {
  const int peer = rank % 2 == 0 ? rank + 1 : rank - 1;
  if (peer >= size) return;
  MPI_Sendrecv(buffer, bytes, MPI_BYTE, peer, 0, buffer, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 2 ? argv[1] : "";
  const int bytes = argc > 2 ? atoi(argv[2]) : 0;
  char *buffer = SMPI_SHARED_MALLOC((size_t)(bytes > 0 ? bytes : 1));
  int known = 1;
  if (strcmp(what, "allreduce") == 0) {
    MPI_Allreduce(MPI_IN_PLACE, buffer, bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  } else if (strcmp(what, "stencil") == 0 && argc == 6) {
    const int extents[3] = {atoi(argv[3]), atoi(argv[4]), atoi(argv[5])};
    known = extents[0] * extents[1] * extents[2] == size;
    if (known) stencil(buffer, bytes, extents, rank);
  } else if (strcmp(what, "even-odd") == 0) {
    even_odd(buffer, bytes, rank, size);
  } else {
    known = 0;
  }
  if (rank == 0 && !known) fprintf(stderr, "usage: allreduce BYTES | stencil BYTES X Y Z | even-odd BYTES\n");
  SMPI_SHARED_FREE(buffer);
  MPI_Finalize();
  return known ? 0 : 1;
}
