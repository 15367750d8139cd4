// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import java.io.IOException;
import java.net.URI;

/** A laboratory: a web page on this machine with fabrics, packets and lessons. Start with {@link #start}. */
public final class Lab implements AutoCloseable {
    private final LabSession session;
    private final LabServer server;

    private Lab(LabSession session, LabServer server) {
        this.session = session;
        this.server = server;
    }

    /**
     * Starts a laboratory, which shows the first lesson.
     *
     * @throws IOException if no port can be had
     */
    public static Lab start() throws IOException {
        LabSession session = new LabSession();
        session.openLesson("1");
        return new Lab(session, new LabServer(session));
    }

    /** Address of the page; whoever knows it can use this laboratory. */
    public URI address() {
        return server.address();
    }

    public LabSession session() {
        return session;
    }

    @Override
    public void close() {
        server.close();
    }
}
