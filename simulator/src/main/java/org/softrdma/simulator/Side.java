// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;

/** One device of a simulated workload: its memory, one completion queue for each direction, and as many queue pairs as the seed wants. */
final class Side {
    private static final int CQE = 4096;
    static final int MAX_INLINE = 256;

    final Context context;
    final Gid gid;
    final ProtectionDomain pd;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    /** Stays registered to the end. */
    final ShadowedMemory memory;
    final List<Endpoint> endpoints = new ArrayList<>();
    /** Receives that queue pairs of this side share, or null. */
    ReceivePool shared;
    /** The multicast group its datagram queue pairs are attached to; null for none. */
    Gid group;
    private final List<MemoryWindow> windows = new ArrayList<>();
    private final Map<Gid, AddressHandle> handles = new HashMap<>();

    Side(Context context, Gid gid, SplittableRandom random) {
        this.context = context;
        this.gid = gid;
        pd = context.allocatePd();
        sendCq = context.createCq(CQE);
        recvCq = context.createCq(CQE);
        memory = new ShadowedMemory(random, false);
    }

    MemoryWindow allocateWindow(MemoryWindow.Type type) {
        MemoryWindow window = pd.allocateMw(type);
        windows.add(window);
        return window;
    }

    /** The way to an address. */
    AddressHandle handleTo(Gid remote) {
        return handles.computeIfAbsent(remote, gid -> pd.createAh(AddressVector.to(gid, 1)));
    }

    /** Closes the handle, whatever was posted by it and waits. */
    void closeHandleTo(Gid remote) {
        handles.remove(remote).close();
    }

    /** Completions that all queue pairs together can have outstanding in one direction. */
    int mostCompletions() {
        int sends = 0;
        int receives = shared == null ? 0 : shared.most();
        for (Endpoint each : endpoints) {
            sends += each.qp.capabilities().maxSendWr();
            receives += each.qp.capabilities().maxRecvWr();
        }
        return Math.max(sends, receives);
    }

    Endpoint endpointOf(int qpn) {
        for (Endpoint each : endpoints) {
            if (each.qp.qpNum() == qpn) {
                return each;
            }
        }
        throw new AssertionError("no queue pair here has number " + Integer.toHexString(qpn));
    }

    List<ShadowedMemory> memories() {
        List<ShadowedMemory> all = new ArrayList<>(List.of(memory));
        for (Endpoint each : endpoints) {
            if (each.doomed != null) {
                all.add(each.doomed);
            }
        }
        return all;
    }

    /** Destroys everything, children first; nothing may be held back by what happened before. */
    void close() {
        for (Endpoint each : endpoints) {
            each.destroy(() -> { });
            if (each.narrow != null) {
                each.narrow.close();
            }
        }
        if (shared != null) {
            shared.queue().close();
        }
        handles.values().forEach(AddressHandle::close);
        for (MemoryWindow window : windows) {
            window.close();
        }
        for (ShadowedMemory each : memories()) {
            each.region().close();
        }
        sendCq.close();
        recvCq.close();
        pd.close();
        context.close();
    }
}
