// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.util.function.Supplier;
import org.softrdma.verbs.QpType;

/**
 * A test of verbs: what the two ends do differs from test to test, the way there and back does not.
 *
 * @param measure  what comes of it
 * @param bytes    of a message, if the user says nothing; 0: the test has a size of its own
 * @param options  what else it looks at
 */
record RdmaTest(QpType type, Measure measure, int bytes, Parameter[] options, Supplier<Traffic> client, Supplier<Traffic> server)
        implements PerfTest {
    private static final int DEFAULT_MTU = 2048;

    /** Both ends do the same, or tell themselves apart. */
    static RdmaTest of(QpType type, Measure measure, int bytes, Supplier<Traffic> both, Parameter... options) {
        return of(type, measure, bytes, both, both, options);
    }

    static RdmaTest of(QpType type, Measure measure, int bytes, Supplier<Traffic> client, Supplier<Traffic> server,
                       Parameter... options) {
        return new RdmaTest(type, measure, bytes, options, client, server);
    }

    @Override
    public void declare(Parameters parameters) {
        parameters.use(options);
        if (type == QpType.RC) {
            parameters.use(Parameter.USE_CM);
        }
        if (type != QpType.RC || parameters.number(Parameters.Side.LOCAL, Parameter.USE_CM) == 0) {
            parameters.useDefault(Parameter.MTU_SIZE, DEFAULT_MTU);
            parameters.use(Parameter.ID, Parameter.SERVICE_LEVEL, Parameter.STATIC_RATE, Parameter.SRC_PATH_BITS);
        }
        if (bytes != 0) {
            parameters.useDefault(Parameter.MSG_SIZE, bytes);
        }
    }

    @Override
    public void asClient(Session session) {
        run(session, client.get());
    }

    @Override
    public void asServer(Session session) {
        run(session, server.get());
    }

    private void run(Session session, Traffic traffic) {
        try (RdmaEnd end = RdmaEnd.open(session, type, traffic)) {
            traffic.prepare(end);
            session.begin();
            traffic.run(end);
            session.end();
            end.disconnect();
        }
    }

    @Override
    public void report(Session session, Parameters parameters, Report report, ResultTable table) {
        report.measured(measure, session.statistics(), session.peersStatistics(), parameters);
    }
}
