// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** Ends the server. */
final class QuitTest implements PerfTest {
    @Override
    public void declare(Parameters parameters) {
    }

    @Override
    public void asClient(Session session) {
        session.meet();
    }

    /** The client goes first, so that the server's port is free at once. */
    @Override
    public void asServer(Session session) {
        session.meet();
        session.control().awaitEnd();
    }

    @Override
    public void report(Session session, Parameters parameters, Report report, ResultTable table) {
    }

    @Override
    public boolean isLast() {
        return true;
    }
}
