// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.manual;

/** Page for man(1), in the macros of man(7). */
final class ManPage {
    private final Page page;
    private final String version;

    ManPage(Page page, String version) {
        this.page = page;
        this.version = version;
    }

    /** @return the file's name, in section 1; tools without an original have the prefix {@code softrdma-} */
    String fileName() {
        return (page.ours() ? "softrdma-" : "") + page.name() + ".1";
    }

    String text() {
        String command = page.ours() ? "softrdma " + page.name() : page.name();
        return ".TH " + quoted(fileName().replace(".1", "")) + " 1 \"\" " + quoted("softrdma " + version) + " \"User Commands\"\n"
            + ".SH NAME\n" + escaped(command.replace(' ', '-')) + " \\- " + escaped(page.summary()) + "\n"
            + ".SH SYNOPSIS\n" + literal(page.usage().isBlank() ? command : page.usage())
            + """
            .SH DESCRIPTION
            Part of softrdma, an RDMA adapter in user space that needs no kernel module and no root.
            Options, output and exit codes are those of the original of the same name, where there is one.
            .SH ENVIRONMENT
            .TP
            SOFTRDMA_STATE_DIR
            the directory that holds the links and shows running processes to each other
            .TP
            SOFTRDMA_HOST
            daemon: use the devices of the running softrdmad, which C programs under softrdma run share
            .TP
            SOFTRDMA_CM_DEVICES
            devices for connections by address: roce, iwarp or names of devices, separated by commas
            .TP
            SOFTRDMA_STRICT
            on: the devices report uses of verbs that work here and fail on some adapter
            .TP
            SOFTRDMA_WIRE
            shm or direct: packets between devices of this host go through memory
            .TP
            SOFTRDMA_CAPTURE_DIR
            a directory for a capture of each device's packets, for Wireshark
            .TP
            SOFTRDMA_RECORD_DIR
            a directory for the last packets of each queue pair that fails, with comments, for Wireshark
            .TP
            SOFTRDMA_LOG
            error, warning, info or debug: what of the library's log is printed, with time and source in each line
            .TP
            SOFTRDMA_JAVA_OPTS
            options of the Java virtual machine
            .TP
            SOFTRDMA_TRACE
            set to anything, it shows where an unexpected error came from
            .SH SEE ALSO
            docs/guide.md in the sources
            """;
    }

    /** Formats lines without filling. */
    private static String literal(String lines) {
        return ".nf\n" + escaped(lines.strip().indent(0)) + ".fi\n";
    }

    /** Escapes backslashes, hyphens, and lines that would be requests; tabs become blanks. */
    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1").replace("\t", "        ");
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "") + '"';
    }
}
