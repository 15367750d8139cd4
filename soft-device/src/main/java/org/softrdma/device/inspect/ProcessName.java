// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.inspect;

/** What {@code rdma resource} shows as {@code comm}: {@code java}, which all Java programs are, would tell nobody anything. */
public final class ProcessName {
    /** A program that wants another name sets this system property. */
    public static final String PROPERTY = "softrdma.comm";

    private static final String COMMAND_PROPERTY = "sun.java.command";

    private ProcessName() {
    }

    /** The property, else the name of the main class or of the jar file, else {@code java}. */
    static String ofThisProcess() {
        String chosen = System.getProperty(PROPERTY, "");
        return chosen.isEmpty() ? of(System.getProperty(COMMAND_PROPERTY, "")) : chosen;
    }

    /** @param command the command line from the main class, module or jar file on */
    static String of(String command) {
        String first = command.strip().split("\\s", 2)[0];
        if (first.endsWith(".jar")) {
            String file = first.substring(1 + Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')));
            return file.equals(".jar") ? "java" : file.substring(0, file.length() - ".jar".length());
        }
        String simple = first.substring(1 + Math.max(first.lastIndexOf('.'), first.lastIndexOf('/')));
        return simple.isEmpty() ? "java" : simple;
    }
}
