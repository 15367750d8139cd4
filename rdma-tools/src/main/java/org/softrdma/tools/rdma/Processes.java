// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import java.util.function.Consumer;
import org.softrdma.device.inspect.ProcessReport;

/** How to learn what running processes have. */
interface Processes {
    /** @param problems is told of each process that could not be asked */
    List<ProcessReport> ask(Consumer<String> problems);
}
