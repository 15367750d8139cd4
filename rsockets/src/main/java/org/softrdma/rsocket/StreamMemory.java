// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.rsocket.stream.TargetList;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;

/** The registered memory of one stream: two rings, the list the peer writes its grants to, and where messages come that are SENDs. */
final class StreamMemory implements AutoCloseable {
    private static final int ALIGNMENT = 64;
    private static final int REMOTE_WRITE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

    final MemoryRegion sendRing;
    final MemoryRegion receiveRing;
    final MemoryRegion targetList;
    /** Null with immediate data. */
    final MemoryRegion messages;

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final List<MemoryRegion> regions = new ArrayList<>();

    /** @param messageBytes 0 with immediate data */
    StreamMemory(ProtectionDomain pd, int sendBytes, int receiveBytes, int messageBytes) {
        this.pd = pd;
        try {
            sendRing = register(sendBytes, 0);
            receiveRing = register(receiveBytes, REMOTE_WRITE);
            targetList = register(TargetList.BYTES, REMOTE_WRITE);
            messages = messageBytes == 0 ? null : register(messageBytes, AccessFlags.LOCAL_WRITE);
        } catch (RuntimeException refused) {
            close();
            throw refused;
        }
    }

    private MemoryRegion register(int bytes, int access) {
        MemorySegment memory = arena.allocate(bytes, ALIGNMENT);
        MemoryRegion region = pd.register(memory, access);
        regions.add(region);
        return region;
    }

    /** Once no queue pair uses it. */
    @Override
    public void close() {
        regions.forEach(MemoryRegion::close);
        arena.close();
    }
}
