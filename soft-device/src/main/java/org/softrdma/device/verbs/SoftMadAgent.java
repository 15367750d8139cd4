// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.VirtualTime;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.VerbsException;

/** A MAD agent of a soft device: a bounded inbox that the device's owner fills. */
final class SoftMadAgent implements MadAgent {
    /** Capacity of the inbox, in datagrams. */
    static final int INBOX_MADS = 64;

    /** Interval at which a waiting thread looks whether the agent was closed. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final byte BASE_VERSION = 1;
    private static final int SUBNET_ADMINISTRATION = 0x03;
    private static final int VENDOR_FIRST = 0x09;
    private static final int VENDOR_LAST = 0x4f;

    private final SoftContext context;
    private final MadPort port;
    private final int managementClass;
    private final BlockingQueue<Received> inbox = new ArrayBlockingQueue<>(INBOX_MADS);
    private boolean closed;

    SoftMadAgent(SoftContext context, MadPort port, int managementClass) {
        boolean ofPrograms = managementClass >= VENDOR_FIRST && managementClass <= VENDOR_LAST;
        if (!ofPrograms && !(managementClass == SUBNET_ADMINISTRATION && port.isOnSubnet())) {
            throw new VerbsException(Errno.EINVAL, "open_mad_agent", "management class 0x" + Integer.toHexString(managementClass)
                + " is the device's own or reserved; vendors and applications have 0x9 to 0x4f, and on an InfiniBand subnet clients of"
                + " subnet administration 0x3");
        }
        this.context = context;
        this.port = port;
        this.managementClass = managementClass;
        port.enter(managementClass, (local, remote, mad) -> inbox.offer(new Received(remote, local, mad.array())));
        context.children.add("MAD agents");
        context.living.add(this);
    }

    @Override
    public int managementClass() {
        return managementClass;
    }

    @Override
    public void send(Gid from, Gid to, byte[] mad) {
        requireOpen("send_mad");
        if (mad.length != MAD_BYTES) {
            throw new VerbsException(Errno.EINVAL, "send_mad", "a management datagram has " + MAD_BYTES + " bytes, not " + mad.length);
        }
        if (mad[0] != BASE_VERSION || (mad[1] & 0xff) != managementClass) {
            throw new VerbsException(Errno.EINVAL, "send_mad", "the datagram's version is " + mad[0] + " and its class 0x"
                + Integer.toHexString(mad[1] & 0xff) + "; this agent sends version 1, class 0x" + Integer.toHexString(managementClass));
        }
        port.send(from, to, ByteBuffer.wrap(mad.clone()));
    }

    @Override
    public Received receive(long timeoutNs) {
        requireOpen("receive_mad");
        VirtualTime time = context.agent().virtualTime();
        return time == null ? receiveInTime(timeoutNs) : receiveOn(time, timeoutNs);
    }

    private Received receiveOn(VirtualTime time, long timeoutNs) {
        long untilNs = timeoutNs < 0 ? Deadline.NEVER : Deadline.after(timeoutNs, time.nowNs());
        Received received = inbox.poll();
        while (received == null && !Deadline.isDue(untilNs, time.nowNs())) {
            time.pause("receive_mad", untilNs);
            requireOpen("receive_mad");
            received = inbox.poll();
        }
        return received;
    }

    private Received receiveInTime(long timeoutNs) {
        long untilNs = timeoutNs < 0 ? Deadline.NEVER : Deadline.after(timeoutNs, System.nanoTime());
        try {
            while (true) {
                long leftNs = Math.clamp(Deadline.remainingNs(untilNs, System.nanoTime()), 0, LOOK_NS);
                Received received = inbox.poll(leftNs, TimeUnit.NANOSECONDS);
                if (received != null || Deadline.isDue(untilNs, System.nanoTime())) {
                    return received;
                }
                requireOpen("receive_mad");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new VerbsException(Errno.EINTR, "receive_mad", "interrupted while waiting for a management datagram");
        }
    }

    private synchronized void requireOpen(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, "the agent is closed");
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            port.leave(managementClass);
            context.children.remove("MAD agents");
            context.living.remove(this);
        }
    }
}
