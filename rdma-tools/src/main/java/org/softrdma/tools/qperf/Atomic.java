// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** The two atomics. For verification each is posted in a sequence whose results are known. */
enum Atomic {
    /** 0 is replaced by a magic number, that by the next, and so on. */
    COMPARE_SWAP {
        private static final long MAGIC = 0x0123456789abcdefL;

        @Override
        void post(RdmaEnd end, int slot, long compareOrAdd, long swap) {
            end.postCompareAndSwap(slot, compareOrAdd, swap);
        }

        @Override
        void postNext(RdmaEnd end, int slot, long index) {
            post(end, slot, result(index), MAGIC + index);
        }

        @Override
        long result(long index) {
            return index == 0 ? 0 : MAGIC + index - 1;
        }
    },
    /** Counts. */
    FETCH_ADD {
        @Override
        void post(RdmaEnd end, int slot, long compareOrAdd, long swap) {
            end.postFetchAndAdd(slot, compareOrAdd);
        }

        @Override
        void postNext(RdmaEnd end, int slot, long index) {
            post(end, slot, 1, 0);
        }

        @Override
        long result(long index) {
            return index;
        }
    };

    abstract void post(RdmaEnd end, int slot, long compareOrAdd, long swap);

    /** Posts number {@code index}, from 0, of the sequence; its result is written to {@code slot}. */
    abstract void postNext(RdmaEnd end, int slot, long index);

    /** Expected result of number {@code index} of the sequence. */
    abstract long result(long index);
}
