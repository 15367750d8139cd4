// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.util.Map;

/** One contender of a group: something that can be run once and gives values by key. Its name is {@code group/contender}. */
interface Row {
    String name();

    /** Why it cannot run on this machine, or null. */
    String missing();

    Map<String, Double> run() throws IOException, Processes.Failed;
}
