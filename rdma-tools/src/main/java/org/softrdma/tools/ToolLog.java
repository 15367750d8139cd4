// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.util.Locale;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.softrdma.tools.cli.Console;

/**
 * The library's log, in a process that runs a tool: a line on stderr, in the style of the tool's own messages. A logging configuration of
 * the user's, by a system property of {@code java.util.logging}, stays as it is.
 */
final class ToolLog {
    /** Environment variable: {@code error}, {@code warning}, {@code info} or {@code debug}, with time, level and source in each line. */
    static final String VARIABLE = "SOFTRDMA_LOG";

    /** Read by the JDK's console handler at its first message. Arguments: date, source, logger, level, message, exception. */
    private static final String FORMAT = "java.util.logging.SimpleFormatter.format";
    private static final String DETAILED = "%1$tF %1$tT.%1$tL %4$s %3$s: %5$s%6$s%n";
    private static final String[] CONFIGURATIONS = {"java.util.logging.config.file", "java.util.logging.config.class", FORMAT};
    private static final String OURS = "org.softrdma";

    /** A logger that nobody refers to loses its level. */
    private static Logger kept;

    private ToolLog() {
    }

    /**
     * Sets the style of the log's lines.
     *
     * @param name  of the tool
     * @param level value of the variable; null if it is not set
     */
    static void configure(String name, String level, Console console) {
        for (String each : CONFIGURATIONS) {
            if (System.getProperty(each) != null) {
                return;
            }
        }
        if (level == null || level.isEmpty()) {
            // Nothing else: most tools log nothing, and starting the log would delay them.
            System.setProperty(FORMAT, name.replace("%", "%%") + ": %5$s%n");
            return;
        }
        System.setProperty(FORMAT, name.replace("%", "%%") + ": " + DETAILED);
        Level wanted = levelOf(level);
        if (wanted == null) {
            console.error(name + ": " + VARIABLE + " is error, warning, info or debug, not '" + level + "'");
            return;
        }
        kept = Logger.getLogger(OURS);
        kept.setLevel(wanted);
        for (Handler each : Logger.getLogger("").getHandlers()) {
            each.setLevel(wanted);
        }
    }

    private static Level levelOf(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "error" -> Level.SEVERE;
            case "warning" -> Level.WARNING;
            case "info" -> Level.INFO;
            case "debug" -> Level.ALL;
            default -> null;
        };
    }
}
