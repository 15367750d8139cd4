// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output, which ends the process when its reader is gone, as in {@code ibping ADDRESS | head -1}. C programs are ended by SIGPIPE,
 * which the JVM ignores. Other failures, such as a full disk, are kept for the end of the tool: the stream above hides them.
 */
final class StandardOutput extends OutputStream {
    /** Exit code that shells show for SIGPIPE. */
    private static final int EXIT_BROKEN_PIPE = 128 + 13;
    private static final String BROKEN_PIPE = "Broken pipe";

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private volatile IOException failure;

    /** @return the first failure to write; null if everything was written */
    IOException failure() {
        return failure;
    }

    @Override
    public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException failed) {
            if (BROKEN_PIPE.equals(failed.getMessage())) {
                // Halts without shutdown hooks, which might print.
                Runtime.getRuntime().halt(EXIT_BROKEN_PIPE);
            }
            if (failure == null) {
                failure = failed;
            }
            throw failed;
        }
    }
}
