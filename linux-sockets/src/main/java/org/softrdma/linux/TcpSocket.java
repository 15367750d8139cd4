// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

/**
 * An established TCP connection, read and written without waiting. All methods are for the owner of its {@link SocketSet}; after
 * {@link #close} they return {@link #OVER} or do nothing.
 */
public final class TcpSocket {
    /** No bytes can be read or written now. */
    public static final int NOT_NOW = -1;
    /** The peer has closed its side, or the connection failed. */
    public static final int OVER = -2;

    private static final int CLOSED = -1;

    private final SocketSet set;
    private final LinuxTcp calls;
    private int fd;
    /** Null until it is watched. */
    private SocketSet.Watcher watcher;

    TcpSocket(SocketSet set, LinuxTcp calls, int fd) {
        this.set = set;
        this.calls = calls;
        this.fd = fd;
    }

    /** Reports events to the watcher from now on. At most once. If the system cannot watch the connection, it is closed. */
    public void watch(SocketSet.Watcher by) {
        if (fd == CLOSED) {
            return;
        }
        watcher = by;
        if (!set.watch(this)) {
            close();
            by.onNews(true, true, false);
        }
    }

    int fd() {
        return fd;
    }

    SocketSet.Watcher watcher() {
        return watcher;
    }

    /**
     * Reads available bytes.
     *
     * @param to     a native address
     * @param length at least 1
     * @return bytes read, at least 1; {@link #NOT_NOW}; {@link #OVER}
     */
    public int read(long to, int length) {
        return fd == CLOSED ? OVER : answer(calls.recv(fd, to, length));
    }

    /**
     * Reads available bytes into two buffers, the second one when the first is full.
     *
     * @return bytes read to both, at least 1; {@link #NOT_NOW}; {@link #OVER}
     */
    public int read(long to, int length, long thenTo, int thenLength) {
        return fd == CLOSED ? OVER : answer(calls.recv(fd, to, length, thenTo, thenLength));
    }

    /** Converts a result; EINTR does not occur in calls that never wait. */
    private static int answer(int count) {
        return count > 0 ? count : count == -LinuxSockets.EAGAIN ? NOT_NOW : OVER;
    }

    /**
     * Writes as many bytes as the send buffer accepts.
     *
     * @param from   a native address
     * @param length at least 1
     * @return bytes accepted, at least 1; {@link #NOT_NOW}; {@link #OVER}
     */
    public int write(long from, int length) {
        return fd == CLOSED ? OVER : answer(calls.send(fd, from, length));
    }

    /** Payload bytes of a full segment; 0 if unknown. */
    public int segmentBytes() {
        return fd == CLOSED ? 0 : Math.max(0, calls.segmentBytes(fd));
    }

    /** Ends the sending direction: the peer reads the end of the stream after the last byte. */
    public void endOutput() {
        if (fd != CLOSED) {
            LinuxTcp.endOutput(fd);
        }
    }

    /** Ends both directions and releases the descriptor. */
    public void close() {
        if (fd != CLOSED) {
            if (watcher != null) {
                set.forget(this);
            }
            LinuxSockets.close(fd);
            fd = CLOSED;
        }
    }
}
