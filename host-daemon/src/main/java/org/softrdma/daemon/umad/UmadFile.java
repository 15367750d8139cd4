// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.umad.UmadHeader;
import org.softrdma.abi.umad.UmadIoctl;
import org.softrdma.abi.umad.UmadRegisterAgent;
import org.softrdma.abi.umad.UmadRegisterAgent2;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.linux.process.FileIdentity;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.mad.Mad;

/**
 * One open of umadN, with the program's agents. The program's descriptor is the reading end of a pipe with a byte for each datagram, which
 * is polled natively; ioctl, read and write are trapped. Source: {@code drivers/infiniband/core/user_mad.c} of Linux 6.1, for the order of
 * the checks and their errors.
 */
final class UmadFile implements DeviceFile {
    private static final System.Logger LOG = System.getLogger(UmadFile.class.getName());
    /** Time to live of datagrams between queue pairs 1. */
    private static final int HOP_LIMIT = 64;
    private static final long U32 = 0xFFFFFFFFL;

    private final UmadDevice device;
    private final UmadInbox inbox;
    private final UmadOutstanding outstanding = new UmadOutstanding(this);
    /** By number; guarded by the array itself, as are the fields below. The device's lock may be taken with this one held. */
    private final UmadAgent[] agents = new UmadAgent[UmadLimits.AGENTS_OF_A_FILE];
    private boolean used;
    private boolean ended;
    private volatile int headerBytes = UmadHeader.OLD_BYTES;

    /**
     * Opens a file.
     *
     * @throws VerbsException EMFILE
     */
    UmadFile(UmadDevice device) {
        this.device = device;
        inbox = new UmadInbox(this);
    }

    UmadDevice device() {
        return device;
    }

    UmadPort port() {
        return device.port();
    }

    UmadOutstanding outstanding() {
        return outstanding;
    }

    /** Bytes of the header, which programs of the first ABI do without the index of the partition key. */
    int headerBytes() {
        return headerBytes;
    }

    // ---- file ----

    @Override
    public Kind kind() {
        return Kind.MANAGEMENT;
    }

    @Override
    public int descriptor() {
        return inbox.pipe().reader();
    }

    @Override
    public void given() {
        inbox.pipe().closeReader();
    }

    @Override
    public FileIdentity identity() {
        return inbox.pipe().identity();
    }

    @Override
    public int lastCloseDescriptor() {
        return inbox.pipe().writer();
    }

    @Override
    public void read(TrappedCall call, long address, long bytes) {
        answering(call, () -> inbox.read(call, address, bytes));
    }

    @Override
    public void write(TrappedCall call, long address, long bytes) {
        answering(call, () -> {
            send(call, address, bytes);
            call.answer(bytes);
        });
    }

    @Override
    public void ioctl(TrappedCall call, int command, long argument) {
        answering(call, () -> {
            switch (command) {
                case UmadIoctl.REGISTER_AGENT -> register(call, argument);
                case UmadIoctl.REGISTER_AGENT2 -> register2(call, argument);
                case UmadIoctl.UNREGISTER_AGENT -> unregister(call, argument);
                case UmadIoctl.ENABLE_PKEY -> enablePkey();
                default -> throw new VerbsException(Errno.ENOTTY, "umad", "there is no ioctl 0x" + Integer.toHexString(command));
            }
            call.answer(0);
        });
    }

    private static void answering(TrappedCall call, Runnable execution) {
        try {
            execution.run();
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.DEBUG, refused::getMessage);
            call.answer(-refused.errno().value());
        } catch (OutOfMemoryError full) {
            LOG.log(System.Logger.Level.WARNING, "no memory for a call on umad", full);
            call.answer(-Errno.ENOMEM.value());
        } catch (RuntimeException | AssertionError broken) {
            LOG.log(System.Logger.Level.ERROR, "a call on umad failed unexpectedly", broken);
            call.answer(-Errno.EIO.value());
        }
    }

    private static void copy(TrappedCall call, long address, MemorySegment to) {
        if (!call.process().memory().read(address, to, 0, to.byteSize())) {
            throw refuse(Errno.EFAULT, "the argument is not readable");
        }
    }

    private static VerbsException refuse(Errno errno, String detail) {
        return new VerbsException(errno, "umad", detail);
    }

    // ---- agents ----

    private void register(TrappedCall call, long argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(UmadRegisterAgent.BYTES, 8);
            copy(call, argument, request);
            enter(call, argument + UmadRegisterAgent.ID_OFFSET, UmadRegistration.of(request), false);
        }
    }

    private void register2(TrappedCall call, long argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(UmadRegisterAgent2.BYTES, 8);
            copy(call, argument, request);
            if ((UmadRegisterAgent2.flags(request, 0) & ~UmadRegisterAgent2.USER_RMPP) != 0) {
                put(call, argument + UmadRegisterAgent2.FLAGS_OFFSET, UmadRegisterAgent2.USER_RMPP);
                throw UmadRegistration.refuse(Errno.EINVAL, "unknown flags");
            }
            enter(call, argument + UmadRegisterAgent2.ID_OFFSET, UmadRegistration.of2(request), true);
        }
    }

    /** @param withPkey whether the first agent of this kind makes headers long ones */
    private void enter(TrappedCall call, long idAddress, UmadRegistration registration, boolean withPkey) {
        synchronized (agents) {
            if (ended) {
                throw UmadRegistration.refuse(Errno.EIO, "the device is gone");
            }
            int id = Arrays.asList(agents).indexOf(null);
            if (id < 0) {
                throw UmadRegistration.refuse(Errno.ENOMEM, "the file has " + agents.length + " agents");
            }
            registration.check();
            UmadAgent agent = new UmadAgent(this, id, registration);
            port().enter(agent);
            try {
                put(call, idAddress, id);
            } catch (VerbsException unwritable) {
                port().leave(agent);
                throw unwritable;
            }
            if (!used && withPkey) {
                headerBytes = UmadHeader.BYTES;
            }
            used = true;
            agents[id] = agent;
        }
    }

    private static void put(TrappedCall call, long address, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(Integer.BYTES, 8);
            word.set(AbiLayout.U32, 0, value);
            if (!call.process().memory().write(address, word, 0, Integer.BYTES)) {
                throw refuse(Errno.EFAULT, "the argument is not writable");
            }
        }
    }

    private void unregister(TrappedCall call, long argument) {
        int id;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(Integer.BYTES, 8);
            copy(call, argument, word);
            id = word.get(AbiLayout.U32, 0);
        }
        synchronized (agents) {
            if (id < 0 || id >= agents.length || agents[id] == null) {
                throw refuse(Errno.EINVAL, "the file has no agent " + Integer.toUnsignedString(id));
            }
            end(agents[id]);
            agents[id] = null;
        }
    }

    private void end(UmadAgent agent) {
        port().leave(agent);
        outstanding.removeAll(agent);
    }

    private void enablePkey() {
        synchronized (agents) {
            if (used) {
                throw refuse(Errno.EINVAL, "the file has had agents");
            }
            headerBytes = UmadHeader.BYTES;
        }
    }

    private UmadAgent agent(int id) {
        if (id < 0 || id >= agents.length) {
            throw refuse(Errno.EINVAL, "there is no agent " + Integer.toUnsignedString(id));
        }
        synchronized (agents) {
            if (agents[id] == null) {
                throw refuse(Errno.EIO, "the file has no agent " + id);
            }
            return agents[id];
        }
    }

    // ---- sending ----

    private void send(TrappedCall call, long address, long bytes) {
        int length = headerBytes;
        if (bytes < length + ManagementClass.RMPP_HEADER_BYTES) {
            throw refuse(Errno.EINVAL, bytes + " bytes are no datagram");
        }
        byte[] header = new byte[UmadHeader.BYTES];
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        int madBytes = (int) Math.min(bytes - length, Mad.LENGTH);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copied = arena.allocate(length + madBytes, 8);
            copy(call, address, copied);
            MemorySegment.copy(copied, 0, MemorySegment.ofArray(header), 0, length);
            MemorySegment.copy(copied, length, MemorySegment.ofArray(mad.array()), 0, madBytes);
        }
        MemorySegment fields = MemorySegment.ofArray(header);
        UmadAgent agent = agent(UmadHeader.id(fields, 0));
        Gid from = source(fields);
        Gid to = gid(fields);
        checkLength(agent, mad, bytes - length);
        if (!ManagementClass.isResponse(mad)) {
            mad.putInt(Mad.TRANSACTION_ID_OFFSET, agent.highTid);
        }
        send(agent, header, from, to, mad);
    }

    /** The GID that the header chooses. On Ethernet there is no way without one: EINVAL from the kernel, too. */
    private Gid source(MemorySegment header) {
        if (UmadHeader.grhPresent(header, 0) == 0) {
            throw refuse(Errno.EINVAL, "an Ethernet port has no LIDs; the header needs a GID");
        }
        if (UmadHeader.qpn(header, 0) != Mad.GSI_QPN) {
            throw refuse(Errno.EINVAL, "datagrams go to queue pair 1, not " + Integer.toUnsignedString(UmadHeader.qpn(header, 0)));
        }
        Gid from = device.context().queryGid(UmadDevice.PORT, UmadHeader.gidIndex(header, 0));
        if (from.equals(Gid.ZERO)) {
            throw refuse(Errno.EINVAL, "there is no GID " + UmadHeader.gidIndex(header, 0));
        }
        return from;
    }

    private static Gid gid(MemorySegment header) {
        return new Gid(header.get(AbiLayout.BE64, UmadHeader.GID_OFFSET), header.get(AbiLayout.BE64, UmadHeader.GID_OFFSET + Long.BYTES));
    }

    /** Shorter datagrams are filled up with zeros; longer ones would have to be divided. */
    private static void checkLength(UmadAgent agent, ByteBuffer mad, long bytes) {
        if (bytes < ManagementClass.headerBytes(Mad.managementClass(mad, 0))) {
            throw refuse(Errno.EINVAL, bytes + " bytes are less than the header of the class");
        }
        if (bytes > Mad.LENGTH || ManagementClass.isRmppActive(mad) && agent.registration.hasKernelRmpp()) {
            throw refuse(Errno.EINVAL, "long messages are not divided here");
        }
    }

    private void send(UmadAgent agent, byte[] header, Gid from, Gid to, ByteBuffer mad) {
        MemorySegment fields = MemorySegment.ofArray(header);
        long timeoutMs = UmadHeader.timeoutMs(fields, 0) & U32;
        if (timeoutMs == 0) {
            port().send(from, to, mad);
            return;
        }
        port().need(agent, Mad.managementClass(mad, 0));
        UmadOutstanding.Entry entry = new UmadOutstanding.Entry(agent, from, to, mad, header, timeoutMs,
            UmadHeader.retries(fields, 0) & U32);
        outstanding.add(entry);
        try {
            port().send(from, to, mad);
        } catch (VerbsException refused) {
            outstanding.remove(entry);
            throw refused;
        }
        outstanding.sent(entry);
    }

    // ---- receiving ----

    /**
     * Queues a received datagram; called with the device's lock held.
     *
     * @param mad belongs to this file from now on
     * @return false if there is no room
     */
    boolean received(UmadAgent agent, Gid local, Gid remote, ByteBuffer mad) {
        byte[] header = new byte[UmadHeader.BYTES];
        MemorySegment fields = MemorySegment.ofArray(header);
        UmadHeader.id(fields, 0, agent.id);
        UmadHeader.length(fields, 0, headerBytes + Mad.LENGTH);
        UmadHeader.qpn(fields, 0, Mad.GSI_QPN);
        UmadHeader.grhPresent(fields, 0, 1);
        UmadHeader.gidIndex(fields, 0, device.indexOf(local));
        UmadHeader.hopLimit(fields, 0, HOP_LIMIT);
        fields.set(AbiLayout.BE64, UmadHeader.GID_OFFSET, remote.high());
        fields.set(AbiLayout.BE64, UmadHeader.GID_OFFSET + Long.BYTES, remote.low());
        return inbox.add(new UmadInbox.Entry(header, mad.array(), false));
    }

    /** Queues the beginning of a datagram without an answer. */
    void timedOut(UmadOutstanding.Entry entry) {
        UmadHeader.status(MemorySegment.ofArray(entry.header), 0, Errno.ETIMEDOUT.value());
        inbox.add(new UmadInbox.Entry(entry.header, Arrays.copyOf(entry.mad.array(), Mad.HEADER_LENGTH), true));
    }

    // ---- closing ----

    /** Ends the agents; the program's calls fail from now on. Once or more often. */
    void end() {
        synchronized (agents) {
            ended = true;
            for (int i = 0; i < agents.length; i++) {
                if (agents[i] != null) {
                    end(agents[i]);
                    agents[i] = null;
                }
            }
        }
        inbox.end();
    }

    @Override
    public void closed() {
        end();
        inbox.pipe().close();
        device.forget(this);
    }
}
