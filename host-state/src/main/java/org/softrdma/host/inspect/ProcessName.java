// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

/** Name of this process in {@code rdma resource}'s {@code comm}: the program's, since {@code java} would not tell programs apart. */
public final class ProcessName {
    /** System property that overrides the name. */
    public static final String PROPERTY = "softrdma.comm";

    private static final String COMMAND_PROPERTY = "sun.java.command";

    private ProcessName() {
    }

    /** The property, else the name of the main class or of the jar file, else {@code java}. */
    static String ofThisProcess() {
        String chosen = System.getProperty(PROPERTY, "");
        return chosen.isEmpty() ? of(System.getProperty(COMMAND_PROPERTY, "")) : chosen;
    }

    /**
     * The name of a program.
     *
     * @param command the command line from the main class, module or jar file on
     */
    static String of(String command) {
        String name = ProgramName.programOf(command.strip().split("\\s", 2)[0]);
        return name.isEmpty() ? "java" : name;
    }
}
