// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.softrdma.verbs.Errno;

/** TCP for a device: connects and accepts. Its callbacks are called without the owner's lock, by any thread. */
public interface TcpLink extends AutoCloseable {
    /**
     * Connects.
     *
     * @param local     source address; port 0 for any
     * @param timeoutNs time limit for the answer of the peer's TCP, at least a millisecond; then the reason is ETIMEDOUT
     * @param connected called with the stream
     * @param refused   called instead with the reason
     */
    void connect(InetSocketAddress local, InetSocketAddress remote, long timeoutNs, Consumer<ByteStream> connected,
        Consumer<Errno> refused);

    /**
     * Listens.
     *
     * @param accepted called with each new stream
     * @return the listening socket; closing it leaves its streams open
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE, EADDRNOTAVAIL; EACCES: the port requires privileges
     */
    Listening listen(InetSocketAddress local, Accepted accepted);

    /** Ends what connects and listens. Called when nothing is sent any more. */
    @Override
    void close();

    /** Receives the accepted streams. */
    interface Accepted {
        void accept(ByteStream stream, InetSocketAddress local, InetSocketAddress remote);
    }

    /** A listening socket. */
    interface Listening extends AutoCloseable {
        InetSocketAddress address();

        @Override
        void close();
    }
}
