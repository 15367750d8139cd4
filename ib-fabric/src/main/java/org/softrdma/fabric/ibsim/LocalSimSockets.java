// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.linux.WaitedFor;
import org.softrdma.linux.WakeupEvent;
import org.softrdma.verbs.VerbsException;

/**
 * Sockets of this host with abstract names, as ibsim uses them without options: {@code sim:ctl} and {@code sim:out0}, {@code sim:out1}, …
 * of the server, {@code sim:ctlPID} and {@code sim:inPID} of a client.
 */
final class LocalSimSockets implements SimSockets {
    private static final int NAME_BYTES = 128;

    private final String base;
    private final LinuxSockets calls;
    private final WakeupEvent wakeup;
    private final WaitedFor waitedFor;
    private final int[] fds;
    private final boolean server;
    private final MemorySegment peerName;
    private final MemorySegment bytes;
    private final ByteBuffer buffer;
    private final MessageVector incoming;
    /** Length of the name of the last sender of a control message. */
    private int peerNameLength;

    private LocalSimSockets(String base, boolean server, String... names) {
        this.base = base;
        this.server = server;
        Arena arena = Arena.ofAuto();
        calls = new LinuxSockets(arena);
        peerName = arena.allocate(NAME_BYTES, 8);
        bytes = arena.allocate(SimPacket.LENGTH, 8);
        buffer = bytes.asByteBuffer();
        incoming = new MessageVector(arena, 1);
        incoming.iovec(0, bytes.address(), bytes.byteSize());
        incoming.message(0, peerName.address(), NAME_BYTES, 0, 1, 0, 0);
        wakeup = new WakeupEvent(calls);
        fds = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            fds[i] = open(names[i], i);
        }
        waitedFor = new WaitedFor(calls, wakeup, fds);
    }

    /**
     * Opens the sockets of a server.
     *
     * @param base first part of all names, {@code sim} by default
     * @throws VerbsException EADDRINUSE: another server has the names
     */
    static LocalSimSockets server(String base, int clients) {
        String[] names = new String[clients + 1];
        names[CONTROL] = ":ctl";
        for (int i = 0; i < clients; i++) {
            names[i + 1] = ":out" + i;
        }
        return new LocalSimSockets(base, true, names);
    }

    /**
     * Opens the sockets of a client.
     *
     * @param session unique among clients of the host
     */
    static LocalSimSockets client(String base, int session) {
        LocalSimSockets opened = new LocalSimSockets(base, false, ":ctl" + session, ":in" + session);
        try {
            opened.connectTo(CONTROL, ":ctl");
        } catch (VerbsException refused) {
            opened.close();
            throw refused;
        }
        return opened;
    }

    private int open(String name, int opened) {
        int fd = calls.localSocket();
        int error = fd;
        if (fd >= 0) {
            try (Arena call = Arena.ofConfined()) {
                MemorySegment address = address(call, name);
                error = calls.bind(fd, address, (int) address.byteSize());
            }
            if (error < 0) {
                LinuxSockets.close(fd);
            }
        }
        if (error < 0) {
            for (int i = 0; i < opened; i++) {
                LinuxSockets.close(fds[i]);
            }
            wakeup.close();
            throw LinuxSockets.failure(-error, "fabric", "socket " + base + name
                + "; another server with this name may run: choose another one (ibsim's clients read IBSIM_SOCKNAME)");
        }
        return fd;
    }

    /** The zero byte at the end of ibsim's names is a part of them. */
    private MemorySegment address(Arena arena, String name) {
        return LinuxSockets.abstractAddress(arena, (base + name + '\0').getBytes(StandardCharsets.UTF_8));
    }

    private void connectTo(int socket, String name) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment address = address(call, name);
            int error = calls.connect(fds[socket], address, (int) address.byteSize());
            if (error < 0) {
                throw LinuxSockets.failure(-error, "fabric", "socket " + base + name + ": does ibsim or a fabric run under this name?");
            }
        }
    }

    @Override
    public void connect(int socket, int session) {
        connectTo(socket, (server ? ":in" : ":out") + session);
    }

    @Override
    public void await(long timeoutNs) {
        waitedFor.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        wakeup.signal();
    }

    @Override
    public int receive(int socket, ByteBuffer into) {
        incoming.rearm(0, NAME_BYTES, 0);
        int length = calls.recvmsg(fds[socket], incoming.messages());
        if (length < 0) {
            return -1;
        }
        if (socket == CONTROL) {
            peerNameLength = incoming.nameLength(0);
        }
        into.put(0, buffer, 0, Math.min(length, into.capacity()));
        return length;
    }

    @Override
    public void sendControl(ByteBuffer message) {
        buffer.put(0, message, 0, SimControl.LENGTH);
        // A client that is gone needs no answer.
        calls.sendto(fds[CONTROL], bytes.address(), SimControl.LENGTH, server ? peerName : MemorySegment.NULL,
            server ? peerNameLength : 0);
    }

    @Override
    public Sent send(int socket, ByteBuffer packet) {
        buffer.put(0, packet, 0, SimPacket.LENGTH);
        int sent = calls.sendto(fds[socket], bytes.address(), SimPacket.LENGTH, MemorySegment.NULL, 0);
        boolean full = sent == -LinuxSockets.EAGAIN || sent == -LinuxSockets.ENOBUFS;
        waitedFor.room(socket, full);
        return sent == 1 ? Sent.YES : full ? Sent.LATER : Sent.DEAD;
    }

    @Override
    public void close() {
        for (int fd : fds) {
            LinuxSockets.close(fd);
        }
        wakeup.close();
    }
}
