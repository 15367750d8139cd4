// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.softrdma.rpcrdma.connection.ConnectionListener;
import org.softrdma.storage.nvme.controller.NvmeCounters;
import org.softrdma.storage.nvme.controller.Portal;
import org.softrdma.storage.nvme.controller.QueueMachine;
import org.softrdma.storage.nvme.controller.Subsystem;
import org.softrdma.storage.nvme.controller.SubsystemSettings;
import org.softrdma.storage.nvme.store.BlockStore;
import org.softrdma.storage.nvme.wire.QueueRequest;
import org.softrdma.storage.nvme.wire.QueueRequest.Refusal;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * An NVMe over Fabrics target: takes connections by address, each of which is a queue of a host. The hosts may be Linux's or any other,
 * over any device. All hosts see the same namespaces; there is no protection among them.
 */
public final class NvmeTarget implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(NvmeTarget.class.getName());
    private static final int IN_CAPSULE_BYTES = 4096;
    private static final int LARGEST_TRANSFER = 1 << 18;
    private static final int BUFFERS = 16;
    private static final int CONTROLLERS = 64;
    private static final int CONNECTIONS = 256;
    /** RDMA READs under way at once on a connection, at most. */
    private static final int READS = 16;
    private static final int RNR_RETRIES = 7;
    private static final long EXPIRY_MS = 500;

    /** Namespaces of a subsystem at most. */
    private static final int NAMESPACES = 64;

    private final List<BlockStore> stores;
    private final NvmeCounters counters = new NvmeCounters();
    private final Subsystem subsystem;
    private final ConnectionListener<TargetQueue> listener;

    private NvmeTarget(List<BlockStore> stores, NvmeOptions options, Consumer<String> trace) {
        this.stores = stores;
        subsystem = new Subsystem(new SubsystemSettings(options.name(), CONTROLLERS, options.ioQueues(), options.entries(),
            IN_CAPSULE_BYTES, LARGEST_TRANSFER, BUFFERS), stores, Integer.numberOfTrailingZeros(options.blockBytes()), counters, trace);
        listener = new ConnectionListener<>("nvme", options.addresses(), CONNECTIONS, this::onRequest);
    }

    /**
     * Starts a target.
     *
     * @param store   bytes of the namespace; closed with the target
     * @param options of the target
     * @return the target, listening
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV; the store is left open
     */
    public static NvmeTarget start(BlockStore store, NvmeOptions options) {
        return start(List.of(store), options);
    }

    /**
     * Starts a target with several namespaces.
     *
     * @param stores  bytes of the namespaces 1, 2 and so on, 1..{@value #NAMESPACES}; closed with the target
     * @param options of the target
     * @return the target, listening
     * @throws IllegalArgumentException there is none, there are too many, or one is smaller than a block
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV; the stores are left open
     */
    public static NvmeTarget start(List<? extends BlockStore> stores, NvmeOptions options) {
        return start(stores, options, null);
    }

    /**
     * Starts a target that reports each command in a line of text.
     *
     * @param stores  bytes of the namespaces 1, 2 and so on, 1..{@value #NAMESPACES}; closed with the target
     * @param options of the target
     * @param trace   takes the lines, on any thread, before the response is sent; null for none
     * @return the target, listening
     * @throws IllegalArgumentException there is none, there are too many, or one is smaller than a block
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV; the stores are left open
     */
    public static NvmeTarget start(List<? extends BlockStore> stores, NvmeOptions options, Consumer<String> trace) {
        if (stores.isEmpty() || stores.size() > NAMESPACES) {
            throw new IllegalArgumentException("a subsystem has 1.." + NAMESPACES + " namespaces, not " + stores.size());
        }
        for (BlockStore each : stores) {
            if (each.bytes() < options.blockBytes()) {
                throw new IllegalArgumentException("a store of " + each.bytes() + " bytes has no block of " + options.blockBytes());
            }
        }
        NvmeTarget target = new NvmeTarget(List.copyOf(stores), options, trace);
        target.listener.every(EXPIRY_MS, () -> target.subsystem.expire(System.nanoTime()));
        target.listener.start();
        return target;
    }

    /** {@return the addresses, with the ports that were assigned} */
    public List<InetSocketAddress> addresses() {
        return listener.addresses();
    }

    /**
     * Addresses for a host. Where the target listens at any address of a family, it is the one that the host has connected to.
     *
     * @param reached the target's address on the connection of the host
     */
    List<Portal> portals(InetAddress reached) {
        List<Portal> portals = new ArrayList<>();
        List<InetSocketAddress> addresses = addresses();
        for (int i = 0; i < addresses.size(); i++) {
            InetSocketAddress bound = addresses.get(i);
            boolean any = bound.getAddress().isAnyLocalAddress();
            boolean ipv6 = bound.getAddress() instanceof Inet6Address;
            if (!any || ipv6 == reached instanceof Inet6Address) {
                String address = (any ? reached : bound.getAddress()).getHostAddress();
                int scope = address.indexOf('%');
                portals.add(new Portal(i + 1, ipv6, scope < 0 ? address : address.substring(0, scope), bound.getPort()));
            }
        }
        return portals;
    }

    /** {@return counters that are not 0, by name} */
    public Map<String, Long> counters() {
        return counters.snapshot();
    }

    /** {@return number of controllers: hosts that are connected} */
    public int controllers() {
        return subsystem.size();
    }

    // ---- requests ----

    private void onRequest(CmId id, ConnectionParameters parameters) {
        Refusal refusal = check(id, parameters);
        if (refusal == null) {
            refusal = accept(id, parameters);
        }
        if (refusal != null) {
            refuse(id, refusal);
        }
    }

    /** {@return null if the request can be accepted} */
    private Refusal check(CmId id, ConnectionParameters parameters) {
        Refusal malformed = QueueRequest.check(parameters.privateData());
        if (malformed != null) {
            return malformed;
        }
        QueueRequest request = QueueRequest.parse(parameters.privateData());
        SubsystemSettings settings = subsystem.settings();
        DeviceAttributes device = id.verbs().queryDevice();
        if (request.queue() > settings.ioQueues()) {
            return Refusal.INVALID_QUEUE;
        }
        if (request.entries() > settings.entriesOf(request.queue())) {
            return Refusal.INVALID_SUBMISSION_QUEUE_SIZE;
        }
        if (request.queue() != 0 && request.controller() != 0 && !subsystem.hasController(request.controller())) {
            return Refusal.INVALID_CONTROLLER;
        }
        if (parameters.initiatorDepth() == 0) {
            return Refusal.INVALID_READ_DEPTH;
        }
        boolean fits = listener.hasRoom() && Math.max(QueueMachine.sendRequests(request), request.entries()) <= device.maxQpWr();
        return fits ? null : Refusal.NO_RESOURCES;
    }

    /** {@return null if the request was accepted, or withdrawn} */
    private Refusal accept(CmId id, ConnectionParameters parameters) {
        QueueRequest request = QueueRequest.parse(parameters.privateData());
        TargetQueue queue;
        int reads;
        try {
            reads = Math.min(Math.min(parameters.initiatorDepth(), READS), id.verbs().queryDevice().maxQpInitRdAtom());
            queue = new TargetQueue(this, subsystem, id, request);
        } catch (VerbsException exhausted) {
            LOG.log(System.Logger.Level.WARNING, "no queue for " + id.peerAddress() + ": " + exhausted.getMessage());
            return Refusal.NO_RESOURCES;
        }
        listener.accept(id, queue, ConnectionParameters.DEFAULT.withPrivateData(QueueRequest.accept(request.entries()))
            .withReads(0, reads).withRetries(parameters.retryCount(), RNR_RETRIES));
        return null;
    }

    private void refuse(CmId id, Refusal refusal) {
        counters.count(refusal);
        listener.refuse(id, refusal.toBytes(), refusal.counter());
    }

    /** Forgets a queue whose resources are free. */
    void onFreed(TargetQueue queue) {
        listener.onFreed(queue);
    }

    /** Runs a step on a thread that holds no lock and uses no queue. */
    void later(Runnable step) {
        listener.later(step);
    }

    /** Stops listening, ends all queues, waits some seconds for commands in work, and closes the stores. */
    @Override
    public void close() {
        if (listener.close()) {
            stores.forEach(BlockStore::close);
        }
    }
}
