// SPDX-License-Identifier: Apache-2.0
/*
 * A ring and an all-reduce over all ranks of MPI, every byte checked, as mpi-ring does in Python: for MPI libraries that python3-mpi4py is
 * not built for. With an argument they are repeated for so many seconds.
 *
 *   mpirun -np 4 mpi-ring [SECONDS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void *allocate(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (!memory) {
        perror("calloc");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static void require(int right, const char *what, int length) {
    if (!right) {
        fprintf(stderr, "rank %d: %s of %d differs\n", rank, what, length);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Rank 0 sends, each rank adds one to every byte and passes on, rank 0 compares. */
static void ring(int length) {
    unsigned char *data = allocate(length), *back = allocate(length);
    if (rank == 0) {
        for (int i = 0; i < length; i++) {
            data[i] = i * 7 + length;
        }
        MPI_Send(data, length, MPI_BYTE, 1 % size, 0, MPI_COMM_WORLD);
        MPI_Recv(back, length, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < length; i++) {
            require(back[i] == (unsigned char) (data[i] + size - 1), "ring", length);
        }
    } else {
        MPI_Recv(data, length, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < length; i++) {
            data[i]++;
        }
        MPI_Send(data, length, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    }
    free(data);
    free(back);
}

static void all_reduce(int length) {
    long *mine = allocate(length * sizeof(long)), *total = allocate(length * sizeof(long));
    long factor = size * (size + 1L) / 2;
    for (int i = 0; i < length; i++) {
        mine[i] = i * (rank + 1L);
    }
    MPI_Allreduce(mine, total, length, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < length; i++) {
        require(total[i] == i * factor, "all-reduce", length);
    }
    free(mine);
    free(total);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    static const int ring_bytes[] = {1, 1000, 70000, 1 << 20}, reduced[] = {1, 1000, 100000};
    double until = MPI_Wtime() + (argc > 1 ? atoi(argv[1]) : 0);
    int rounds = 0, again;
    do {
        for (int i = 0; i < 4; i++) {
            ring(ring_bytes[i]);
        }
        for (int i = 0; i < 3; i++) {
            all_reduce(reduced[i]);
        }
        rounds++;
        again = MPI_Wtime() < until;
        MPI_Bcast(&again, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } while (again);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("ring and all-reduce of %d ranks are right, rounds: %d\n", size, rounds);
    }
    MPI_Finalize();
    return 0;
}
