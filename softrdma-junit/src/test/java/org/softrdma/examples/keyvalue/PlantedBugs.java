// SPDX-License-Identifier: Apache-2.0
package org.softrdma.examples.keyvalue;

import org.softrdma.testing.RdmaEnd;

/** The tests of the store with a bug planted in its client, one class for each. {@link PlantedBugsTest} runs them. */
final class PlantedBugs {
    private PlantedBugs() {
    }

    /** The slot is not marked while it is written. */
    static final class UnmarkedWrite extends KeyValueStoreTest {
        @Override
        KeyValueClient connect(RdmaEnd end, KeyValueTable.Address table) {
            return new KeyValueClient(end.pd(), end.cq(), end.qp(), table) {
                @Override
                void writeVersion(int key, int from) {
                    write(key, 8, 0, Long.BYTES);
                }
            };
        }
    }

    /** The last key is written behind the table. */
    static final class WrongSlot extends KeyValueStoreTest {
        @Override
        KeyValueClient connect(RdmaEnd end, KeyValueTable.Address table) {
            return new KeyValueClient(end.pd(), end.cq(), end.qp(), table) {
                @Override
                long slot(int key) {
                    return super.slot(0) + (key + 1L) * KeyValueTable.SLOT_BYTES;
                }
            };
        }
    }

    /** The value is overwritten while the device may still have to send it. */
    static final class ReusedMemory extends KeyValueStoreTest {
        @Override
        KeyValueClient connect(RdmaEnd end, KeyValueTable.Address table) {
            return new KeyValueClient(end.pd(), end.cq(), end.qp(), table) {
                @Override
                void await(int requests) {
                    super.await(1);
                }
            };
        }
    }

    /** Registered memory is never closed. */
    static final class ForgottenMemory extends KeyValueStoreTest {
        @Override
        KeyValueClient connect(RdmaEnd end, KeyValueTable.Address table) {
            return new KeyValueClient(end.pd(), end.cq(), end.qp(), table) {
                @Override
                public void close() {
                    // Forgotten.
                }
            };
        }
    }
}
