// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The TCP connections of one device, on Linux. The owner of the device polls them all with one system call, and the thread that leads it
 * sleeps until one has events. No other thread is involved.
 *
 * <p>{@link #await} does not consume events, it only waits for them: another thread may own the device meanwhile.
 */
public final class SocketSet implements AutoCloseable {
    private static final int EVENTS = 64;
    private static final int ENDED = LinuxTcp.EPOLLRDHUP | LinuxTcp.EPOLLHUP | LinuxTcp.EPOLLERR;
    private static final int READABLE = LinuxTcp.EPOLLIN | ENDED;
    private static final int WATCHED = LinuxTcp.EPOLLIN | LinuxTcp.EPOLLOUT | LinuxTcp.EPOLLRDHUP | LinuxTcp.EPOLLET;

    private final Arena arena = Arena.ofAuto();
    private final LinuxTcp calls = new LinuxTcp(arena);
    private final MemorySegment events = LinuxTcp.events(arena, EVENTS);
    /** Watched connections, by descriptor. */
    private final Int2ObjectHashMap<TcpSocket> sockets = new Int2ObjectHashMap<>();
    private final WakeupEvent wakeup;
    private final int epoll;
    private final WaitedFor waitedFor;
    /** After this, the descriptors' numbers may belong to others. */
    private volatile boolean closed;

    /** Receives the events of a connection; called by the owner, within {@link #poll}. */
    public interface Watcher {
        /**
         * Handles events. Each change is reported once: read or write until {@link TcpSocket#NOT_NOW} is returned.
         *
         * @param readable bytes can be read, or the end of the stream
         * @param ended    no bytes will follow; the stream can be read to its end
         * @param writable bytes can be written again
         */
        void onNews(boolean readable, boolean ended, boolean writable);
    }

    /**
     * Creates an empty set.
     *
     * @throws VerbsException the process has no more descriptors
     */
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

    /**
     * Whether this class can be used.
     *
     * @see NativeCalls#areChosen
     */
    public static boolean isPossible() {
        return NativeCalls.areChosen();
    }

    /**
     * Adds an established connection. Any thread.
     *
     * @param fd still belongs to the caller, who closes it: this class duplicates it
     * @throws VerbsException EMFILE: the process has no more descriptors
     */
    public TcpSocket take(int fd) {
        int own = LinuxTcp.duplicate(fd);
        if (own < 0) {
            throw new VerbsException(Errno.EMFILE, "connect", OpenFileLimit.advice());
        }
        return new TcpSocket(this, calls, own);
    }

    /**
     * Starts to report events of a connection. For the owner.
     *
     * @return false if the system cannot watch another one, or the set is closed
     */
    boolean watch(TcpSocket socket) {
        if (closed) {
            return false;
        }
        sockets.put(socket.fd(), socket);
        return calls.watch(epoll, socket.fd(), WATCHED) >= 0;
    }

    /** Stops to report events of a connection. For the owner. */
    void forget(TcpSocket socket) {
        sockets.remove(socket.fd());
        calls.forget(epoll, socket.fd());
    }

    /**
     * Delivers pending events to the watchers, a bounded number per call. For the owner.
     *
     * @return connections that had events
     */
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

    /** Sleeps until a connection has events, {@link #wakeup} is called, or the time is over. For the leader. */
    public void await(long timeoutNs) {
        if (timeoutNs > 0 && !closed) {
            waitedFor.await(timeoutNs);
        }
    }

    /** Ends the current or next {@link #await}. Any thread. */
    public void wakeup() {
        wakeup.signal();
    }

    /** Lets input at another descriptor end {@link #await} too; see {@link WakeupEvent#alsoBy}. */
    public void alsoWakeBy(int fd) {
        wakeup.alsoBy(fd);
    }

    /** Closes all watched connections. For the owner, after the last wait has ended; later calls of other methods do nothing. */
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
