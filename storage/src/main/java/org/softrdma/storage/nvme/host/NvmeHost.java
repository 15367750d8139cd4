// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.host;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.ConnectData;
import org.softrdma.storage.nvme.wire.ControllerProperty;
import org.softrdma.storage.nvme.wire.FabricsCommand;
import org.softrdma.storage.nvme.wire.IdentifyController;
import org.softrdma.storage.nvme.wire.IdentifyNamespace;
import org.softrdma.storage.nvme.wire.Opcode;
import org.softrdma.storage.nvme.wire.QueueRequest;

/** A host that is connected to the first namespace of a subsystem, and reads it. One thread. */
public final class NvmeHost implements AutoCloseable {
    private static final int ADMIN_ENTRIES = 32;
    private static final int IO_ENTRIES = 2;
    private static final int LARGEST_READ = 1 << 17;
    private static final int CONFIGURATION = 6 << 16 | 4 << 20;
    private static final int NUMBER_OF_QUEUES = 7;
    private static final int IDENTIFY_CONTROLLER = 1;
    private static final int ACTIVE_NAMESPACES = 2;
    private static final long READY_SECONDS = 30;

    private final InetSocketAddress target;
    private final String subsystem;
    private final String name;
    private final UUID id = UUID.randomUUID();
    private final HostQueue admin;
    private HostQueue io;
    private String model;
    private String serial;
    private int namespace;
    private long blocks;
    private int blockShift;
    private int largestRead;

    private NvmeHost(InetSocketAddress target, String subsystem) throws NvmeException {
        this.target = target;
        this.subsystem = subsystem;
        name = "nqn.2014-08.org.nvmexpress:uuid:" + id;
        admin = new HostQueue(target, new QueueRequest(0, ADMIN_ENTRIES, ADMIN_ENTRIES, 0), IdentifyController.LENGTH);
    }

    /**
     * Connects to a subsystem: an admin queue and an I/O queue.
     *
     * @param target    its address
     * @param subsystem NQN, at most 223 bytes
     * @return the host, connected
     * @throws NvmeException there is no connection, or the target refused a command
     */
    public static NvmeHost connect(InetSocketAddress target, String subsystem) throws NvmeException {
        if (subsystem.getBytes(StandardCharsets.UTF_8).length > ConnectData.LONGEST_NAME) {
            throw new IllegalArgumentException("a name has at most " + ConnectData.LONGEST_NAME + " bytes: " + subsystem);
        }
        NvmeHost host = new NvmeHost(target, subsystem);
        try {
            host.setUp();
        } catch (NvmeException failed) {
            host.close();
            throw failed;
        }
        return host;
    }

    private void setUp() throws NvmeException {
        int controller = connect(admin, 0, ADMIN_ENTRIES, ConnectData.ANY_CONTROLLER);
        configure(CONFIGURATION | ControllerProperty.ENABLE);
        awaitReady();
        identifyController();
        identifyNamespace();
        Command.putDword(Command.putDword(admin.begin(Opcode.SET_FEATURES, 0), 10, NUMBER_OF_QUEUES), 11, 0);
        admin.call("set number of queues");
        io = new HostQueue(target, new QueueRequest(1, IO_ENTRIES, IO_ENTRIES, controller), Math.max(largestRead, ConnectData.LENGTH));
        connect(io, 1, IO_ENTRIES, controller);
    }

    private int connect(HostQueue queue, int number, int entries, int controller) throws NvmeException {
        ConnectData.put(queue.data(), id, controller, subsystem, name);
        FabricsCommand.putConnect(queue.begin(Opcode.FABRICS, Opcode.CONNECT, ConnectData.LENGTH), number, entries);
        return (int) queue.call("connect of queue " + number) & 0xffff;
    }

    // ---- controller ----

    private void configure(int value) throws NvmeException {
        FabricsCommand.putPropertySet(admin.begin(Opcode.FABRICS, Opcode.PROPERTY_SET), ControllerProperty.CONFIGURATION, value);
        admin.call("property set");
    }

    private void awaitReady() throws NvmeException {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        while (true) {
            FabricsCommand.putPropertyGet(admin.begin(Opcode.FABRICS, Opcode.PROPERTY_GET), ControllerProperty.STATUS);
            int status = (int) admin.call("property get");
            if ((status & ControllerProperty.READY) != 0) {
                return;
            }
            if ((status & ControllerProperty.FATAL) != 0 || System.nanoTime() - untilNs > 0) {
                throw new NvmeException("the controller is not ready: status " + status);
            }
            Thread.onSpinWait();
        }
    }

    private ByteBuffer identify(int structure, int number) throws NvmeException {
        Command.putDword(admin.begin(Opcode.IDENTIFY, number, IdentifyController.LENGTH), 10, structure);
        admin.call("identify");
        return admin.data();
    }

    private void identifyController() throws NvmeException {
        ByteBuffer b = identify(IDENTIFY_CONTROLLER, 0);
        model = IdentifyController.model(b);
        serial = IdentifyController.serial(b);
        largestRead = Math.min(LARGEST_READ, IdentifyController.largestTransfer(b));
        if (!IdentifyController.hasKeyedDescriptors(b)) {
            throw new NvmeException("the controller has no keyed descriptors");
        }
    }

    private void identifyNamespace() throws NvmeException {
        namespace = identify(ACTIVE_NAMESPACES, 0).getInt(0);
        if (namespace == 0) {
            throw new NvmeException("the subsystem has no namespace");
        }
        ByteBuffer b = identify(0, namespace);
        blocks = IdentifyNamespace.blocks(b);
        blockShift = IdentifyNamespace.blockShift(b);
        if (blockShift < 9 || 1 << blockShift > largestRead || blocks < 0 || blocks > Long.MAX_VALUE >> blockShift) {
            throw new NvmeException("the namespace has " + blocks + " blocks of 2^" + blockShift + " bytes");
        }
    }

    // ---- what the target is ----

    /** {@return model of the controller, without trailing blanks} */
    public String model() {
        return model;
    }

    /** {@return serial number of the controller, without trailing blanks} */
    public String serial() {
        return serial;
    }

    /** {@return number of the namespace} */
    public int namespace() {
        return namespace;
    }

    /** {@return size of the namespace} */
    public long bytes() {
        return blocks << blockShift;
    }

    /** {@return size of a logical block} */
    public int blockBytes() {
        return 1 << blockShift;
    }

    // ---- data ----

    /**
     * Reads some of a range.
     *
     * @param position a multiple of {@link #blockBytes}
     * @param length   positive, a multiple of {@link #blockBytes}
     * @return the first bytes of the range, valid until the next call
     * @throws NvmeException the command failed, or the connection ended
     */
    public ByteBuffer read(long position, long length) throws NvmeException {
        if ((position | length) % blockBytes() != 0 || length <= 0) {
            throw new IllegalArgumentException("no whole blocks: " + length + " bytes at " + position);
        }
        int bytes = (int) Math.min(length, largestRead & -blockBytes());
        Command.putRange(io.begin(Opcode.READ, namespace, bytes), position >> blockShift, bytes >> blockShift);
        io.call("read of " + bytes + " bytes at " + position);
        return io.data().slice(0, bytes);
    }

    @Override
    public void close() {
        if (io != null) {
            io.close();
        }
        admin.close();
    }
}
