// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

/**
 * A TCP connection that is made, read and written without waiting. All methods are for the owner of its {@link SocketSet}; once closed, it
 * is over and takes nothing.
 */
public final class TcpSocket {
    /** Nothing can be read or written now. */
    public static final int NOT_NOW = -1;
    /** The peer has closed its side, or the connection broke. */
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

    /** Has the watcher told what can be read and written, from now on. Once. If the system cannot watch it, the connection is over. */
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
     * Reads what is there.
     *
     * @param to     a native address
     * @param length at least 1
     * @return bytes read, at least 1; {@link #NOT_NOW}; {@link #OVER}
     */
    public int read(long to, int length) {
        return fd == CLOSED ? OVER : answer(calls.recv(fd, to, length));
    }

    /**
     * Reads what is there, to one place first and then to another.
     *
     * @return bytes read to both, at least 1; {@link #NOT_NOW}; {@link #OVER}
     */
    public int read(long to, int length, long thenTo, int thenLength) {
        return fd == CLOSED ? OVER : answer(calls.recv(fd, to, length, thenTo, thenLength));
    }

    /** Calls that never wait are not interrupted. */
    private static int answer(int count) {
        return count > 0 ? count : count == -LinuxSockets.EAGAIN ? NOT_NOW : OVER;
    }

    /**
     * Writes what there is room for.
     *
     * @param from   a native address
     * @param length at least 1
     * @return bytes taken, at least 1; {@link #NOT_NOW}; {@link #OVER}
     */
    public int write(long from, int length) {
        return fd == CLOSED ? OVER : answer(calls.send(fd, from, length));
    }

    /** Payload bytes of a full segment; 0 if the system does not say. */
    public int segmentBytes() {
        return fd == CLOSED ? 0 : Math.max(0, calls.segmentBytes(fd));
    }

    /** No more will be written. The peer learns of it behind the last byte. */
    public void endOutput() {
        if (fd != CLOSED) {
            LinuxTcp.endOutput(fd);
        }
    }

    /** Ends both directions. */
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
