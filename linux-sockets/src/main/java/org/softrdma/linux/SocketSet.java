// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The TCP connections of one device, on Linux. Whoever owns the device asks which of them have news, with one system call for all; and the
 * thread that leads it sleeps until one has. There is no thread in between.
 *
 * <p>{@link #await} does not take news away, it only waits for them: another thread may own the device meanwhile.
 */
public final class SocketSet implements AutoCloseable {
    private static final int EVENTS = 64;
    private static final int ENDED = LinuxTcp.EPOLLRDHUP | LinuxTcp.EPOLLHUP | LinuxTcp.EPOLLERR;
    private static final int READABLE = LinuxTcp.EPOLLIN | ENDED;
    private static final int WATCHED = LinuxTcp.EPOLLIN | LinuxTcp.EPOLLOUT | LinuxTcp.EPOLLRDHUP | LinuxTcp.EPOLLET;

    private final Arena arena = Arena.ofAuto();
    private final LinuxTcp calls = new LinuxTcp(arena);
    private final MemorySegment events = LinuxTcp.events(arena, EVENTS);
    /** Those that are watched, by descriptor. */
    private final Int2ObjectHashMap<TcpSocket> sockets = new Int2ObjectHashMap<>();
    private final WakeupEvent wakeup;
    private final int epoll;
    private final WaitedFor waitedFor;
    /** Their numbers may be other descriptors' then. */
    private volatile boolean closed;

    /** Hears of a connection; called by the owner, within {@link #poll}. */
    public interface Watcher {
        /**
         * Something is new. What was told once is not told again: read, or write, until it is {@link TcpSocket#NOT_NOW}.
         *
         * @param readable there is something to read, or the end
         * @param ended    nothing will follow that; it can be read to its end
         * @param writable there is room again
         */
        void onNews(boolean readable, boolean ended, boolean writable);
    }

    /** @throws VerbsException the process has no more descriptors */
    public SocketSet() {
        LinuxSockets waitCalls = new LinuxSockets(arena);
        wakeup = new WakeupEvent(waitCalls);
        epoll = calls.epoll();
        if (epoll < 0) {
            wakeup.close();
            throw LinuxSockets.failure(-epoll, "open_device", "epoll_create1");
        }
        waitedFor = new WaitedFor(waitCalls, wakeup, epoll);
    }

    /** Whether this system has what it takes; {@link LinuxSockets#CHOICE_PROPERTY} set to {@code nio} says no. */
    public static boolean isPossible() {
        return System.getProperty("os.name").equals("Linux") && !"nio".equals(System.getProperty(LinuxSockets.CHOICE_PROPERTY));
    }

    /**
     * A connection that somebody else has made. Any thread.
     *
     * @param fd stays the caller's, to be closed: the connection goes on without it
     * @throws VerbsException ENOMEM: the process has no more descriptors
     */
    public TcpSocket take(int fd) {
        int own = LinuxTcp.duplicate(fd);
        if (own < 0) {
            throw new VerbsException(Errno.ENOMEM, "rdma_connect", "the process has no more file descriptors (ulimit -n)");
        }
        return new TcpSocket(this, calls, own);
    }

    /** The owner's. @return false: the system has no room for another one, or the set is closed */
    boolean watch(TcpSocket socket) {
        if (closed) {
            return false;
        }
        sockets.put(socket.fd(), socket);
        return calls.watch(epoll, socket.fd(), WATCHED) >= 0;
    }

    /** The owner's. */
    void forget(TcpSocket socket) {
        sockets.remove(socket.fd());
        calls.forget(epoll, socket.fd());
    }

    /** Tells the watchers what is new; if it is more than fits, the rest next time. The owner's. @return how many had news */
    public int poll() {
        if (closed) {
            return 0;
        }
        int count = calls.wait(epoll, events, EVENTS);
        for (int i = 0; i < count; i++) {
            TcpSocket socket = sockets.get(LinuxTcp.fd(events, i));
            if (socket != null) {
                int news = LinuxTcp.events(events, i);
                socket.watcher().onNews((news & READABLE) != 0, (news & ENDED) != 0, (news & LinuxTcp.EPOLLOUT) != 0);
            }
        }
        return Math.max(0, count);
    }

    /** Sleeps until there are news, or {@link #wakeup}. The leader's. */
    public void await(long timeoutNs) {
        if (timeoutNs > 0 && !closed) {
            waitedFor.await(timeoutNs);
        }
    }

    /** Ends the present {@link #await}, or the next. Any thread. */
    public void wakeup() {
        wakeup.signal();
    }

    /** Closes all connections that are watched. The owner's, when nobody waits any more; other calls may still come, and do nothing. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        new ArrayList<>(sockets.values()).forEach(TcpSocket::close);
        LinuxSockets.close(epoll);
        wakeup.close();
    }
}
