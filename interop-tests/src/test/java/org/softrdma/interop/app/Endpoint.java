// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.util.List;
import org.softrdma.verbs.Gid;

/** A queue pair with one region of zeros, on our side or in the guest's kernel; cases are written against it once for both directions. */
interface Endpoint extends AutoCloseable {
    /** Address, keys and first PSN that the other side needs for a connection. */
    record Reach(int qpn, int psn, Gid gid, long address, int rkey) {
    }

    /** A key and the start address of its memory. */
    record Target(long address, int rkey) {
    }

    /** Thrown when posting fails at once. */
    final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused(RuntimeException why) {
            super(why);
        }
    }

    /**
     * A datagram received from a group.
     *
     * @param immediate four bytes in wire order
     */
    record Datagram(int sourceQpn, int immediate, byte[] payload) {
    }

    /** Source port of datagrams that {@link #sendRaw} sends. */
    int RAW_PORT = 50000;

    Reach reach();

    void connect(Reach peer);

    void fill(int offset, byte[] bytes);

    byte[] bytes(int offset, int length);

    /** Posts a receive of these parts of the region. */
    void receive(long wrId, Work.Part... parts);

    /** Posts a receive of the region's first bytes with a key that does not exist. */
    void receiveWithBadKey(long wrId, int length);

    /**
     * Posts a work request.
     *
     * @throws Refused if the verb rejects it
     */
    void post(Work work);

    /** Polls {@code count} completions; returns fewer after {@code seconds}. */
    List<Completion> completions(int count, double seconds);

    /**
     * Allocates a type 2 window and posts its bind, signaled.
     *
     * @return the new key of the window
     */
    int bind(long wrId, int offset, int length, int access);

    /**
     * Binds the one type 1 window, signaled; length 0 ends its binding.
     *
     * @return the new key of the window
     */
    int bindTypeOne(long wrId, int offset, int length, int access);

    /** Creates a region of the same kind in a protection domain of its own. */
    Target foreignRegion(int size);

    /** Joins an IPv4 group and posts one receive for its datagrams; UD only. */
    void join(Gid group);

    /** Waits for the datagram sent to the group. */
    Datagram fromGroup();

    /** Deregisters the region. */
    void deregister();

    /** State of the queue pair: RTS, ERR and so on. */
    String state();

    /** Sends a datagram to UDP port 4791 of {@code to}, from a plain socket: IP ID 0, DF. IPv4 only. */
    void sendRaw(Gid to, byte[] packet);

    @Override
    void close();
}
