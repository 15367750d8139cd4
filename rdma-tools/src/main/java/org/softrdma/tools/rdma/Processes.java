// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import java.util.function.Consumer;
import org.softrdma.host.inspect.ProcessReport;

/** Source of the reports of running processes. */
interface Processes {
    /**
     * Reads the reports.
     *
     * @param problems receives a sentence for each process without a valid report
     */
    List<ProcessReport> ask(Consumer<String> problems);
}
