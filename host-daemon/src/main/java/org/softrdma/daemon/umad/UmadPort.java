// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.softrdma.device.verbs.MadPort;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.mad.Mad;

/**
 * Distribution of a device's management datagrams to the agents of all programs: answers by the upper half of their transaction id,
 * requests by class, version, organisation and method. The device's receiver of a class is held as long as an agent needs it.
 *
 * <p>Locks: {@link #onMad} is called with the device's lock held and takes the monitor; the device is called with the lock of classes held
 * only. Source: {@code drivers/infiniband/core/mad.c} of Linux 6.1, for who receives what.
 */
final class UmadPort implements MadPort.Receiver {
    /** Transaction ids of agents have 24 bits in their upper half, as in the kernel. */
    private static final int LAST_HIGH_TID = 0xFFFFFF;
    private static final int METHOD_BITS = 0x7f;

    private final MadPort queuePair1;
    /** Agents that need a class; guarded by the map itself. */
    private final Map<Integer, Integer> classes = new HashMap<>();
    /** Guarded by this object's monitor, as is the rest. */
    private final Int2ObjectHashMap<UmadAgent> byHighTid = new Int2ObjectHashMap<>();
    private final Long2ObjectHashMap<UmadAgent> byRequest = new Long2ObjectHashMap<>();
    private int lastHighTid;
    private final Map<String, Long> dropped = new TreeMap<>();

    UmadPort(MadPort queuePair1) {
        this.queuePair1 = queuePair1;
        for (Drop each : Drop.values()) {
            dropped.put(each.counter, 0L);
        }
    }

    /** Reasons to drop a received datagram that the device does not count. */
    private enum Drop {
        /** No agent receives such requests, or the agent of an answer is gone. */
        NO_AGENT("umad_no_agent"),
        /** An answer to no request that waits: it came too late, twice, or from another host. */
        NO_REQUEST("umad_no_request"),
        /** A part of a long message, for an agent that wants it joined. */
        RMPP("umad_rmpp");

        private final String counter;

        Drop(String counter) {
            this.counter = counter;
        }
    }

    /** Datagrams that were dropped, by reason. */
    synchronized Map<String, Long> counters() {
        return Map.copyOf(dropped);
    }

    // ---- agents ----

    /**
     * Lets an agent receive.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL: another agent receives requests of that kind; EBUSY: a part of this process has the
     *     class
     */
    void enter(UmadAgent agent) {
        need(agent, agent.registration.managementClass());
        try {
            assign(agent);
        } catch (RuntimeException refused) {
            release(agent);
            throw refused;
        }
    }

    private synchronized void assign(UmadAgent agent) {
        for (long key : agent.registration.keys()) {
            if (byRequest.containsKey(key)) {
                throw UmadRegistration.refuse(Errno.EINVAL, "another agent receives method " + (key & METHOD_BITS) + " of class "
                    + agent.registration.managementClass());
            }
        }
        do {
            lastHighTid = lastHighTid % LAST_HIGH_TID + 1;
        } while (byHighTid.containsKey(lastHighTid));
        agent.highTid = lastHighTid;
        byHighTid.put(agent.highTid, agent);
        for (long key : agent.registration.keys()) {
            byRequest.put(key, agent);
        }
    }

    /** Ends an agent; once. */
    void leave(UmadAgent agent) {
        synchronized (this) {
            byHighTid.remove(agent.highTid);
            agent.registration.keys().forEach(byRequest::remove);
        }
        release(agent);
    }

    /** Receives a class for an agent from now on: answers to its requests have the class of the request. */
    void need(UmadAgent agent, int managementClass) {
        if (managementClass == 0 || managementClass == Mad.CLASS_CM || ManagementClass.isSubnet(managementClass)) {
            return;
        }
        synchronized (classes) {
            if (agent.classes.get(managementClass)) {
                return;
            }
            if (!classes.containsKey(managementClass)) {
                queuePair1.enter(managementClass, this);
            }
            classes.merge(managementClass, 1, Integer::sum);
            agent.classes.set(managementClass);
        }
    }

    private void release(UmadAgent agent) {
        synchronized (classes) {
            agent.classes.stream().forEach(each -> {
                if (classes.merge(each, -1, Integer::sum) == 0) {
                    classes.remove(each);
                    queuePair1.leave(each);
                }
            });
            agent.classes.clear();
        }
    }

    // ---- datagrams ----

    /**
     * Sends a datagram.
     *
     * @param mad 256 bytes, which must not be changed any more
     * @throws org.softrdma.verbs.VerbsException as {@link MadPort#send}
     */
    void send(Gid from, Gid to, ByteBuffer mad) {
        queuePair1.send(from, to, mad);
    }

    @Override
    public synchronized boolean onMad(Gid local, Gid remote, ByteBuffer mad) {
        boolean response = ManagementClass.isResponse(mad);
        UmadAgent agent = response ? byHighTid.get((int) (Mad.transactionId(mad, 0) >>> Integer.SIZE))
            : byRequest.get(UmadRegistration.key(Mad.classVersion(mad, 0), Mad.managementClass(mad, 0), ManagementClass.oui(mad),
                Mad.method(mad, 0) & METHOD_BITS));
        if (agent == null) {
            return drop(Drop.NO_AGENT);
        }
        boolean active = ManagementClass.isRmppActive(mad);
        if (active && agent.registration.hasKernelRmpp()) {
            return drop(Drop.RMPP);
        }
        if (response && !agent.file.outstanding().answered(agent, remote, mad) && !active) {
            return drop(Drop.NO_REQUEST);
        }
        return agent.file.received(agent, local, remote, mad);
    }

    private boolean drop(Drop reason) {
        dropped.merge(reason.counter, 1L, Long::sum);
        return true;
    }
}
