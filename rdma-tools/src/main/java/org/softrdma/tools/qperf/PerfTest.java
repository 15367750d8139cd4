// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** One test: what both ends do. */
interface PerfTest {
    /** Declares, at the client before anything is sent, the parameters that the test uses and their defaults. */
    void declare(Parameters parameters);

    /** The client's part; the server has the request. */
    void asClient(Session session);

    /** The server's part. */
    void asServer(Session session);

    /** At the client, when the test is over. */
    void report(Session session, Parameters parameters, Report report, ResultTable table);

    /** Whether the server is gone after this one. */
    default boolean isLast() {
        return false;
    }
}
