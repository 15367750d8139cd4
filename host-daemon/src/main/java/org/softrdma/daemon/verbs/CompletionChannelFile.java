// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.abi.uverbs.CompletionEventRecord;

/** A completion channel: records of 8 bytes, each the cookie of a completion queue. */
final class CompletionChannelFile extends EventFile {
    CompletionChannelFile(UverbsFile context) {
        super(context);
    }

    /**
     * Announces a completion queue. By the device's owner.
     *
     * @param userHandle cookie of the queue
     * @return false if the event is lost
     */
    boolean announce(long userHandle) {
        return pipe().write(userHandle);
    }

    /**
     * Takes out the events of a queue that the program has not read.
     *
     * @return their number
     */
    int purge(long userHandle) {
        return pipe().purge(userHandle, CompletionEventRecord.BYTES);
    }
}
