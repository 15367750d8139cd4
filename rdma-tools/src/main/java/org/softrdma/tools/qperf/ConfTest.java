// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** Shows the configuration of both ends. */
final class ConfTest implements PerfTest {
    private Configuration server;

    @Override
    public void declare(Parameters parameters) {
    }

    @Override
    public void asClient(Session session) {
        server = Configuration.parse(session.control().receive(Configuration.BYTES, "configuration"));
    }

    @Override
    public void asServer(Session session) {
        session.control().send(Configuration.ofThisHost().toMessage(), "configuration");
    }

    @Override
    public void report(Session session, Parameters parameters, Report report, ResultTable table) {
        show("loc_", Configuration.ofThisHost(), table);
        show("rem_", server, table);
    }

    private static void show(String prefix, Configuration configuration, ResultTable table) {
        table.text(prefix + "node", configuration.node());
        table.text(prefix + "cpu", configuration.cpu());
        table.text(prefix + "os", configuration.os());
        table.text(prefix + "qperf", configuration.version());
    }
}
