// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import java.util.function.Consumer;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.ProcessReport;
import org.softrdma.host.inspect.RunningProcesses;

/** Source of the reports and recordings of running processes. */
interface Processes {
    /**
     * Reads the reports.
     *
     * @param problems receives a sentence for each process without a valid report
     */
    List<ProcessReport> ask(Consumer<String> problems);

    /**
     * Reads the recordings.
     *
     * @param problems receives a sentence for each process without one
     * @return JSON lines of each process, with a head for each device
     */
    default List<byte[]> recordings(Consumer<String> problems) {
        return List.of();
    }

    /** The processes of this user. */
    static Processes ofUser() {
        return new Processes() {
            @Override
            public List<ProcessReport> ask(Consumer<String> problems) {
                return RunningProcesses.ask(StateDirectory.ofUser(), problems);
            }

            @Override
            public List<byte[]> recordings(Consumer<String> problems) {
                return RunningProcesses.recordings(StateDirectory.ofUser(), problems);
            }
        };
    }
}
