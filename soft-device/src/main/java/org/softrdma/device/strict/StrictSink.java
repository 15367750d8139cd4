// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import org.softrdma.device.queue.CompletionSink;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Destination of the completions of a strict send queue, which notes them. */
record StrictSink(CompletionSink sink, StrictSendRing sends) implements CompletionSink {
    @Override
    public boolean push(long wrId, WcStatus status, WcOpcode opcode, int byteLength, int immediate, int qpNum, int sourceQp, int flags,
            boolean solicited) {
        sends.onCompletion();
        return sink.push(wrId, status, opcode, byteLength, immediate, qpNum, sourceQp, flags, solicited);
    }

    @Override
    public boolean pushFailure(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int qpNum) {
        sends.onCompletion();
        return sink.pushFailure(wrId, status, opcode, vendorError, qpNum);
    }
}
