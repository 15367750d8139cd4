// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.UverbsAttribute;

/** Arguments and results of a command of the legacy write interface, which the ioctl carries. */
final class LegacyCall {
    private final UverbsCall whole;
    private final MemorySegment input;

    /** Copies the command in. */
    LegacyCall(UverbsCall whole) {
        this.whole = whole;
        input = whole.input(UverbsAttribute.CORE_IN);
    }

    /** Returns the ioctl, with the driver's data. */
    UverbsCall whole() {
        return whole;
    }

    /** Returns the command without header, with zeros behind it. */
    MemorySegment input() {
        return input;
    }

    /** Returns the bytes that the program has room for. */
    int responseRoom() {
        return whole.length(UverbsAttribute.CORE_OUT);
    }

    /** Returns zeroed room to write the response in. */
    MemorySegment room() {
        return whole.room();
    }

    void reply(MemorySegment from, int bytes) {
        whole.reply(UverbsAttribute.CORE_OUT, from, bytes);
    }
}
