// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.MpaFrame;

/** Cuts the bytes of one direction of a TCP connection into start-up frames and FPDUs without markers. */
final class StreamCutter {
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private boolean begun;

    /**
     * Takes bytes in their order.
     *
     * @param whole called with each complete frame
     */
    void add(byte[] bytes, Consumer<byte[]> whole) {
        pending.writeBytes(bytes);
        byte[] all = pending.toByteArray();
        int at = 0;
        for (int length = next(all, at); length > 0 && at + length <= all.length; length = next(all, at)) {
            whole.accept(Arrays.copyOfRange(all, at, at + length));
            begun = true;
            at += length;
        }
        if (at > 0) {
            pending.reset();
            pending.write(all, at, all.length - at);
        }
    }

    /** Length of the frame that begins there; 0 if it cannot be told yet. */
    private int next(byte[] all, int at) {
        int left = all.length - at;
        ByteBuffer b = ByteBuffer.wrap(all, at, left).slice();
        if (!begun) {
            return left < MpaFrame.LENGTH ? 0 : MpaFrame.totalLength(b, 0);
        }
        return left < Fpdu.HEADER_LENGTH ? 0 : Fpdu.length(Fpdu.ulpduLength(b, 0));
    }
}
