// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.List;

/** One command. */
public interface Tool {
    /**
     * @param name      what it was called as, for its messages
     * @param arguments what follows the name
     * @return the exit code
     * @throws ToolFailure ends it early
     */
    int run(String name, List<String> arguments, Console console);
}
