// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** A test that has a number but needs sockets that Java does not have. */
record MissingTest(String protocol) implements PerfTest {
    @Override
    public void declare(Parameters parameters) {
        throw failure();
    }

    @Override
    public void asClient(Session session) {
        throw failure();
    }

    @Override
    public void asServer(Session session) {
        throw failure();
    }

    @Override
    public void report(Session session, Parameters parameters, Report report, ResultTable table) {
        throw failure();
    }

    private QPerfFailure failure() {
        return new QPerfFailure("unable to make " + protocol + " socket", "Java has no " + protocol + " sockets; tcp_bw and udp_bw have");
    }
}
