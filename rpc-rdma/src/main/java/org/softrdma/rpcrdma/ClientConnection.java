// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.nio.ByteBuffer;
import org.softrdma.rpcrdma.connection.MessageQueuePair;
import org.softrdma.rpcrdma.machine.ClientCall;
import org.softrdma.rpcrdma.machine.Exposure;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.SendRequest;

/** Queue pair and windows of one of a client's connections. The windows end with the connection. */
final class ClientConnection implements AutoCloseable {
    final MessageQueuePair queuePair;
    private final MemoryWindow[] windows;
    private final int[] keys;

    /** @param calls calls under way at most */
    ClientConnection(MessageQueuePair queuePair, int calls) {
        this.queuePair = queuePair;
        windows = new MemoryWindow[calls * ClientCall.MAX_EXPOSURES];
        keys = new int[windows.length];
    }

    /**
     * Prepares the binding of a window, which is allocated at its first use.
     *
     * @return its new key
     */
    int bind(long id, boolean reporting, int window, Exposure memory) {
        if (windows[window] == null) {
            windows[window] = queuePair.pd().allocateMw(MemoryWindow.Type.TYPE_2);
            keys[window] = windows[window].rkey();
        }
        keys[window] = MemoryWindow.nextRkey(keys[window]);
        int access = memory.kind() == Exposure.Kind.READ ? AccessFlags.REMOTE_READ : AccessFlags.REMOTE_WRITE;
        report(reporting, queuePair.prepare().bindWindow(keys[window], memory.lkey(), memory.address(), memory.length(), access).wrId(id));
        return keys[window];
    }

    void invalidate(long id, boolean reporting, int rkey) {
        report(reporting, queuePair.prepare().localInvalidate(rkey).wrId(id));
    }

    private static void report(boolean reporting, SendRequest request) {
        if (reporting) {
            request.signaled();
        }
    }

    ByteBuffer received(int slot) {
        return queuePair.received(slot);
    }

    @Override
    public void close() {
        queuePair.id().destroyQp();
        for (MemoryWindow each : windows) {
            if (each != null) {
                each.close();
            }
        }
        queuePair.close();
    }
}
