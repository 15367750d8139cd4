// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output. Once its reader is gone, as in {@code ibping ADDRESS | head -1}, the process ends, as C programs do: the JVM ignores
 * the signal that ends them. Other failures, as that of an output that was closed from the beginning, keep nobody from working.
 */
final class StandardOutput extends OutputStream {
    /** What a shell shows for SIGPIPE. */
    private static final int EXIT_BROKEN_PIPE = 128 + 13;
    private static final String BROKEN_PIPE = "Broken pipe";

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);

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
                // At once, and from any thread: what would run at an orderly end may want to print.
                Runtime.getRuntime().halt(EXIT_BROKEN_PIPE);
            }
            throw failed;
        }
    }
}
