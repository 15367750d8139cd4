// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

/** The limit that Linux sets on the file descriptors of this process. */
public final class OpenFileLimit {
    /** Result of {@link #files}: the limit is not known. */
    public static final long UNKNOWN = ResourceLimit.NONE;

    private OpenFileLimit() {
    }

    /** The soft limit of {@code ulimit -n}, or {@link #UNKNOWN} on systems other than Linux and if the JVM denies native code. */
    public static long files() {
        return ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE);
    }

    /** Describes the limit for a message about EMFILE, and what to do. */
    public static String advice() {
        long files = files();
        return "the process has no more file descriptors; its limit is " + (files == UNKNOWN ? "that of ulimit -n" : files)
            + ". Raise it with ulimit -n before the program starts";
    }
}
