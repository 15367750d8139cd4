// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A Unix socket that carries whole messages (SOCK_SEQPACKET), each of bytes and up to {@link #MAX_DESCRIPTORS} descriptors, between
 * processes of one host. Blocking; one thread sends while another receives. Source: unix(7), cmsg(3).
 */
public final class LocalSocket implements AutoCloseable {
    /** Descriptors that one message carries at most. */
    public static final int MAX_DESCRIPTORS = 16;
    /** Bytes of the longest path of a socket, without its zero. */
    public static final int MAX_PATH_BYTES = 107;
    /** Result of {@link #receive}: the peer has closed. */
    public static final int END = 0;

    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int SO_PEERCRED = 17;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_CTRUNC = 8;
    private static final int SHUT_RDWR = 2;
    private static final int EINTR = CLibrary.EINTR;
    private static final int EPIPE = 32;
    private static final int SOCKADDR_UN_BYTES = 110;
    private static final int PATH = 2;

    /** struct msghdr: name, its length, iovec, their number, control, its length, flags. */
    private static final int MSGHDR_BYTES = 56;
    private static final int MSG_IOV = 16;
    private static final int MSG_IOV_COUNT = 24;
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROL_BYTES = 40;
    private static final int MSG_FLAGS = 48;
    /** struct cmsghdr: length, level, type; then data. */
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;
    private static final int CONTROL_BYTES = CMSG_DATA + MAX_DESCRIPTORS * Integer.BYTES;

    private static final FunctionDescriptor MESSAGE = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
    private static final FunctionDescriptor NAME = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SOCKET = CLibrary.function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND = CLibrary.function("bind", NAME);
    private static final MethodHandle CONNECT = CLibrary.function("connect", NAME);
    private static final MethodHandle LISTEN = CLibrary.function("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle ACCEPT4 =
        CLibrary.function("accept4", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle GETSOCKOPT =
        CLibrary.function("getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SHUTDOWN = CLibrary.function("shutdown", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SENDMSG = CLibrary.function("sendmsg", MESSAGE);
    private static final MethodHandle RECVMSG = CLibrary.function("recvmsg", MESSAGE);

    private final int fd;
    private final OpenGuard guard = new OpenGuard();
    private final Message outgoing = new Message();
    private final Message incoming = new Message();
    private final int[] received = new int[MAX_DESCRIPTORS];
    private int receivedCount;

    private LocalSocket(int fd) {
        this.fd = fd;
    }

    /**
     * The process at the other end, at the time it connected or listened.
     *
     * @param pid its ID in this PID namespace, or 0
     * @param uid its effective user ID in this user namespace
     * @param gid its effective group ID
     */
    public record Peer(int pid, int uid, int gid) {
    }

    /** Memory of one message in one direction. */
    private static final class Message {
        private final MemorySegment header;
        private final MemorySegment vector;
        private final MemorySegment control;

        Message() {
            Arena arena = Arena.ofAuto();
            header = arena.allocate(MSGHDR_BYTES, 8);
            vector = arena.allocate(16, 8);
            control = arena.allocate(CONTROL_BYTES, 8);
            header.set(JAVA_LONG, MSG_IOV, vector.address());
            header.set(JAVA_LONG, MSG_IOV_COUNT, 1);
        }

        void set(MemorySegment bytes, long length, int controlBytes) {
            vector.set(JAVA_LONG, 0, bytes.address());
            vector.set(JAVA_LONG, Long.BYTES, length);
            header.set(JAVA_LONG, MSG_CONTROL, controlBytes == 0 ? 0 : control.address());
            header.set(JAVA_LONG, MSG_CONTROL_BYTES, controlBytes);
            header.set(JAVA_INT, MSG_FLAGS, 0);
        }
    }

    /**
     * Creates a socket and listens.
     *
     * @param path    of the socket's file, which must not exist; its directory protects it
     * @param backlog connections that wait to be accepted
     * @throws VerbsException EINVAL: the path is too long; EADDRINUSE: the file exists; EACCES, ENOENT: of the directory
     */
    public static LocalSocket listen(Path path, int backlog) {
        LocalSocket socket = open();
        try {
            socket.name(BIND, "bind", path);
            CLibrary library = CLibrary.current();
            CLibrary.check(library.result((int) LISTEN.invokeExact(library.state, socket.fd, backlog)), "listen", path.toString());
            return socket;
        } catch (VerbsException failed) {
            socket.close();
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Connects to a socket.
     *
     * @throws VerbsException EINVAL: the path is too long; ENOENT: there is no such file; ECONNREFUSED: no process listens; EACCES
     */
    public static LocalSocket connect(Path path) {
        LocalSocket socket = open();
        try {
            socket.name(CONNECT, "connect", path);
            return socket;
        } catch (VerbsException failed) {
            socket.close();
            throw failed;
        }
    }

    private static LocalSocket open() {
        CLibrary library = CLibrary.current();
        try {
            int result = library.result((int) SOCKET.invokeExact(library.state, AF_UNIX, SOCK_SEQPACKET | CLibrary.O_CLOEXEC, 0));
            return new LocalSocket(CLibrary.check(result, "socket", "AF_UNIX"));
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    private void name(MethodHandle call, String verb, Path path) {
        byte[] bytes = path.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > MAX_PATH_BYTES) {
            throw new VerbsException(Errno.EINVAL, verb, "the path of a socket has 1 to " + MAX_PATH_BYTES + " bytes, not " + bytes.length
                + ": " + path);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(SOCKADDR_UN_BYTES, 8);
            address.set(JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(bytes, 0, address, JAVA_BYTE, PATH, bytes.length);
            CLibrary library = CLibrary.current();
            int result = library.result((int) call.invokeExact(library.state, fd, address, PATH + bytes.length + 1));
            CLibrary.check(result, verb, path.toString());
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** The descriptor, for polling: readable when {@link #accept} or {@link #receive} would not block. */
    public int fd() {
        return fd;
    }

    /**
     * Waits for a connection.
     *
     * @return the connection; null after {@link #close}
     * @throws VerbsException EMFILE: this process has no more descriptors
     */
    public LocalSocket accept() {
        int result;
        do {
            if (!guard.enter()) {
                return null;
            }
            CLibrary library = CLibrary.current();
            try {
                result = library.result(
                    (int) ACCEPT4.invokeExact(library.state, fd, MemorySegment.NULL, MemorySegment.NULL, CLibrary.O_CLOEXEC));
            } catch (Throwable t) {
                throw CLibrary.impossible(t);
            } finally {
                guard.leave();
            }
        } while (result == -EINTR || result == -Errno.ECONNRESET.value());
        if (result == -CLibrary.EINVAL) {
            return null;
        }
        return new LocalSocket(CLibrary.check(result, "accept", "local socket"));
    }

    /** The process at the other end of a connection. */
    public Peer peer() {
        CLibrary library = CLibrary.current();
        try {
            MemorySegment credentials = library.small;
            MemorySegment length = library.small.asSlice(16, Integer.BYTES);
            length.set(JAVA_INT, 0, 12);
            int result = library.result(
                (int) GETSOCKOPT.invokeExact(library.state, fd, SOL_SOCKET, SO_PEERCRED, credentials, length));
            CLibrary.check(result, "getsockopt", "SO_PEERCRED");
            return new Peer(credentials.get(JAVA_INT, 0), credentials.get(JAVA_INT, 4), credentials.get(JAVA_INT, 8));
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Sends a message.
     *
     * @param bytes       native memory, of which the first {@code length} bytes are sent, at least 1
     * @param descriptors copied to the peer; this process keeps its own
     * @return false if the peer has closed
     * @throws VerbsException EINVAL: too many descriptors; EMSGSIZE as EIO: too long for the socket's buffer
     */
    public boolean send(MemorySegment bytes, int length, int... descriptors) {
        Objects.checkFromIndexSize(0, length, bytes.byteSize());
        if (length == 0 || descriptors.length > MAX_DESCRIPTORS) {
            throw new VerbsException(Errno.EINVAL, "send",
                "a message has at least a byte, and at most " + MAX_DESCRIPTORS + " descriptors");
        }
        synchronized (outgoing) {
            int controlBytes = descriptors.length == 0 ? 0 : CMSG_DATA + descriptors.length * Integer.BYTES;
            outgoing.set(bytes, length, controlBytes);
            outgoing.control.set(JAVA_LONG, 0, controlBytes);
            outgoing.control.set(JAVA_INT, CMSG_LEVEL, SOL_SOCKET);
            outgoing.control.set(JAVA_INT, CMSG_TYPE, SCM_RIGHTS);
            for (int i = 0; i < descriptors.length; i++) {
                outgoing.control.set(JAVA_INT, CMSG_DATA + (long) i * Integer.BYTES, descriptors[i]);
            }
            long result = transfer(SENDMSG, outgoing, MSG_NOSIGNAL);
            if (result == -EPIPE || result == -Errno.ECONNRESET.value() || result == -Errno.ENOTCONN.value()) {
                return false;
            }
            CLibrary.check((int) result, "send", length + " bytes with " + descriptors.length + " descriptors");
            return true;
        }
    }

    /**
     * Waits for a message. Its descriptors are the caller's; those of the message before must have been taken.
     *
     * @param to native memory for the bytes
     * @return length of the message, or {@link #END}
     * @throws VerbsException EPROTO: the message is longer than {@code to}, or has more descriptors than {@link #MAX_DESCRIPTORS} or than
     *     this process may open; its descriptors are closed
     */
    public int receive(MemorySegment to) {
        synchronized (incoming) {
            receivedCount = 0;
            incoming.set(to, to.byteSize(), CONTROL_BYTES);
            long result = transfer(RECVMSG, incoming, MSG_CMSG_CLOEXEC);
            if (result == -Errno.ECONNRESET.value() || result == -Errno.ENOTCONN.value()) {
                return END;
            }
            CLibrary.check((int) result, "receive", "local socket");
            takeDescriptors();
            if ((incoming.header.get(JAVA_INT, MSG_FLAGS) & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
                closeReceived();
                throw new VerbsException(Errno.EPROTO, "receive", "the message is longer than " + to.byteSize()
                    + " bytes, or has more descriptors than can be received");
            }
            return (int) result;
        }
    }

    private long transfer(MethodHandle call, Message message, int flags) {
        long result;
        do {
            if (!guard.enter()) {
                return -Errno.ENOTCONN.value();
            }
            CLibrary library = CLibrary.current();
            try {
                result = library.result((long) call.invokeExact(library.state, fd, message.header, flags));
            } catch (Throwable t) {
                throw CLibrary.impossible(t);
            } finally {
                guard.leave();
            }
        } while (result == -EINTR);
        return result;
    }

    private void takeDescriptors() {
        long controlBytes = incoming.header.get(JAVA_LONG, MSG_CONTROL_BYTES);
        if (controlBytes < CMSG_DATA || incoming.control.get(JAVA_INT, CMSG_LEVEL) != SOL_SOCKET
            || incoming.control.get(JAVA_INT, CMSG_TYPE) != SCM_RIGHTS) {
            return;
        }
        long dataBytes = Math.min(incoming.control.get(JAVA_LONG, 0), controlBytes) - CMSG_DATA;
        for (long at = 0; at + Integer.BYTES <= dataBytes; at += Integer.BYTES) {
            received[receivedCount++] = incoming.control.get(JAVA_INT, CMSG_DATA + at);
        }
    }

    private void closeReceived() {
        for (int i = 0; i < receivedCount; i++) {
            LinuxSockets.close(received[i]);
        }
        receivedCount = 0;
    }

    /** Descriptors that came with the last message of {@link #receive}. */
    public int[] receivedDescriptors() {
        synchronized (incoming) {
            return Arrays.copyOf(received, receivedCount);
        }
    }

    /** Closes the socket, and wakes threads that wait on it. */
    @Override
    public void close() {
        if (!guard.refuse()) {
            return;
        }
        CLibrary library = CLibrary.current();
        try {
            // Fails on a socket that is neither connected nor listening: no thread waits on it then.
            int ignored = (int) SHUTDOWN.invokeExact(library.state, fd, SHUT_RDWR);
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
        guard.awaitIdle();
        LinuxSockets.close(fd);
    }
}
