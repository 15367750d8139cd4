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

/** Registered memory of one stream: two rings, the list that the peer writes its grants to, and receive slots for messages in SENDs. */
final class StreamMemory implements AutoCloseable {
    private static final int ALIGNMENT = 64;
    private static final int REMOTE_WRITE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

    final MemoryRegion sendRing;
    final MemoryRegion receiveRing;
    final MemoryRegion targetList;
    /** Receive slots; null if messages are immediate data. */
    final MemoryRegion messages;

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final List<MemoryRegion> regions = new ArrayList<>();

    /** @param messageBytes size of the receive slots; 0 if messages are immediate data */
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

    /** Deregisters and frees the memory, which no queue pair may use any longer. */
    @Override
    public void close() {
        regions.forEach(MemoryRegion::close);
        arena.close();
    }
}
