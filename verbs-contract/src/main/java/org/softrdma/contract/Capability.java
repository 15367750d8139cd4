// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/**
 * Capability that a device may lack. It is tested by the device's capability flags if there is one, otherwise by a trial call, whose
 * EOPNOTSUPP means no. Any other error is a failure.
 */
public enum Capability {
    /** Queue pairs are connected by modify calls, with PSNs, path and timers: InfiniBand's transport, not iWARP's. */
    INFINIBAND_TRANSPORT(context -> context.device().transport() == Transport.INFINIBAND),
    /**
     * A completion reports the result of a request at the peer. With iWARP it only returns the memory to the application, and a peer that
     * refuses ends the connection.
     */
    ACKNOWLEDGEMENTS(context -> context.device().transport() == Transport.INFINIBAND),
    /** A message without a receive at the peer is repeated until there is one. With iWARP it ends the connection. */
    RECEIVER_NOT_READY(context -> context.device().transport() == Transport.INFINIBAND),
    /** Immediate data. */
    IMMEDIATE_DATA(context -> context.device().transport() == Transport.INFINIBAND),
    UNRELIABLE_CONNECTIONS(context -> hasService(context, QpType.UC)),
    DATAGRAMS(context -> hasService(context, QpType.UD)),
    MULTICAST(context -> context.queryDevice().maxMcastGrp() > 0),
    ATOMICS(context -> context.queryDevice().atomicCap() != 0),
    ATOMIC_WRITE(context -> hasFlag(context, 40)),
    /** The flag says that the device executes it; the library that posts it may be older. */
    FLUSH(context -> hasFlag(context, 38) && withQp(context, QpType.RC, qp -> qp.sendBatch(SendOps.FLUSH))),
    SHARED_RECEIVE_QUEUES(context -> context.queryDevice().maxSrq() > 0),
    RESIZE_SHARED_RECEIVE_QUEUES(context -> hasFlag(context, 13)),
    XRC(context -> hasFlag(context, 20)),
    WINDOWS(context -> hasFlag(context, 17)),
    WINDOWS_OF_TYPE_2(context -> hasFlag(context, 23) || hasFlag(context, 24)),
    REREGISTRATION(Capability::canReregister),
    RESIZE_COMPLETION_QUEUES(context -> withCq(context, cq -> cq.resize(cq.cqe()))),
    COMPLETION_READERS(context -> withCq(context, CompletionQueue::reader)),
    /** A clock, and the times of completions on it. */
    TIMESTAMPS(context -> isSupported(context::rawClockNs)),
    SEND_BATCHES(context -> withQp(context, QpType.RC, qp -> qp.sendBatch(SendOps.SEND))),
    PARENT_DOMAINS(context -> withPd(context, pd -> context.allocateParentDomain(pd, null).close()));

    private final Predicate<Context> probe;

    Capability(Predicate<Context> probe) {
        this.probe = probe;
    }

    /** Returns the capabilities that the context's device lacks. */
    public static Set<Capability> missing(Context context) {
        Set<Capability> missing = EnumSet.noneOf(Capability.class);
        for (Capability each : values()) {
            if (!each.probe.test(context)) {
                missing.add(each);
            }
        }
        return missing;
    }

    /** Tests a bit of {@code enum ibv_device_cap_flags}, including its upper half. */
    private static boolean hasFlag(Context context, int bit) {
        return (context.queryDevice().deviceCapFlagsEx() & 1L << bit) != 0;
    }

    private static boolean hasService(Context context, QpType type) {
        return withQp(context, type, qp -> { });
    }

    private static boolean canReregister(Context context) {
        return withPd(context, pd -> {
            try (MemoryRegion region = pd.register(Arena.ofAuto().allocate(8), 0)) {
                region.reregister(new Reregistration().access(AccessFlags.LOCAL_WRITE));
            }
        });
    }

    /** A trial call. */
    private interface Trial<T> {
        void on(T object);
    }

    private static boolean withPd(Context context, Trial<ProtectionDomain> trial) {
        try (ProtectionDomain pd = context.allocatePd()) {
            return isSupported(() -> trial.on(pd));
        }
    }

    private static boolean withCq(Context context, Trial<CompletionQueue> trial) {
        try (CompletionQueue cq = context.createCq(4)) {
            return isSupported(() -> trial.on(cq));
        }
    }

    private static boolean withQp(Context context, QpType type, Trial<QueuePair> trial) {
        try (ProtectionDomain pd = context.allocatePd(); CompletionQueue cq = context.createCq(4)) {
            return isSupported(() -> {
                try (QueuePair qp = pd.createQp(new QpInitAttributes(type, cq, cq, null, new QpCapabilities(1, 1, 1, 1, 0), false))) {
                    trial.on(qp);
                }
            });
        }
    }

    private static boolean isSupported(Runnable trial) {
        try {
            trial.run();
            return true;
        } catch (VerbsException refused) {
            if (refused.errno() != Errno.EOPNOTSUPP) {
                throw refused;
            }
            return false;
        }
    }
}
