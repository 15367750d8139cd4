// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.softrdma.testing.Fabric;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.cm.CmId;

/** One end of a connection in a {@link SimulatedWorld}, with everything it needs. Lives on the world's thread. */
final class End {
    private static final int CQ_ENTRIES = 1024;

    final int number;
    final int device;
    final String host;
    Context context;
    ProtectionDomain pd;
    CompletionQueue cq;
    MemoryRegion memory;
    QueuePair qp;
    End peer;
    QpState shown;
    /** The next wr_id. */
    long nextWrId = 1;
    int firstPsn;

    /** @param rights of the peer: {@code all}, {@code read}, {@code write} or {@code none} */
    End(Fabric fabric, int number, int device, String host, Context context, ProtectionDomain pd, int bytes, String rights) {
        this.number = number;
        this.device = device;
        this.host = host;
        this.context = context;
        this.pd = pd;
        cq = context.createCq(CQ_ENTRIES);
        memory = pd.register(Arena.ofAuto().allocate(bytes, 8), access(rights));
        byte[] text = ("Memory of " + host + ", end " + number + ". ").getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < bytes; i++) {
            memory.memory().set(ValueLayout.JAVA_BYTE, i, text[i % text.length]);
        }
        firstPsn = (int) (fabric.seed() * 7919 + number * 104_729L) & 0xffffff;
    }

    /** Moves to the context of an identifier, which is another one of the same device: with queues of its own, and the same memory. */
    void adopt(CmId id) {
        context = id.verbs();
        pd = id.pd();
        cq = context.createCq(CQ_ENTRIES);
        memory = pd.register(memory.memory(), memory.access());
    }

    static int access(String rights) {
        return AccessFlags.LOCAL_WRITE | switch (rights) {
            case "all" -> AccessFlags.REMOTE_ANY;
            case "read" -> AccessFlags.REMOTE_READ;
            case "write" -> AccessFlags.REMOTE_WRITE;
            case "none" -> 0;
            default -> throw new IllegalArgumentException("rights \"" + rights + "\": there are all, read, write and none");
        };
    }

    String name() {
        return host + " (qp 0x" + Integer.toHexString(qp == null ? 0 : qp.qpNum()) + ")";
    }
}
