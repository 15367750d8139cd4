// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.List;

/** Command of the launcher. */
public interface Tool {
    /**
     * Runs the command.
     *
     * @param name      name it was called by, for its messages
     * @param arguments arguments after the name
     * @return the exit code
     * @throws ToolFailure to end the command with a message and an exit code
     */
    int run(String name, List<String> arguments, Console console);
}
