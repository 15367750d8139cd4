// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/**
 * Recordings that queue pairs leave when they fail: files {@code DEVICE-PID-QPN.pcapng} in the directory that the environment variable
 * {@code SOFTRDMA_RECORD_DIR}, or the system property {@code softrdma.recordDir}, names. Written at once, with the owner's lock held, so
 * that a program may end after its first failed completion; the device stands still for the milliseconds that takes. At most
 * {@link #MAX_FILES} of a process.
 */
final class FailureRecordings {
    static final int MAX_FILES = 100;

    private static final System.Logger LOG = System.getLogger(FailureRecordings.class.getName());
    private static final AtomicInteger FILES = new AtomicInteger();

    private final Path directory;

    private FailureRecordings(Path directory) {
        this.directory = directory;
    }

    /** Returns null unless a directory is named. */
    static FailureRecordings requested() {
        String directory = System.getProperty("softrdma.recordDir", System.getenv("SOFTRDMA_RECORD_DIR"));
        return directory == null || directory.isEmpty() ? null : new FailureRecordings(Path.of(directory));
    }

    /**
     * Writes the recording of a queue pair that has entered ERR, unless the program or the peer ended it in an orderly way.
     *
     * @param why its last failure
     */
    void record(Context context, int qpn, Failure why) {
        Reason reason = why.reason();
        if (reason == Reason.ERR_BY_APPLICATION || reason == Reason.CONNECTION_ENDED || FILES.get() >= MAX_FILES) {
            return;
        }
        String device = context.device().name();
        String number = "0x" + Integer.toHexString(qpn);
        Path file = directory.resolve(device + "-" + ProcessHandle.current().pid() + "-" + number + ".pcapng");
        try {
            Files.createDirectories(directory);
            try (OutputStream out = Files.newOutputStream(file)) {
                FlightRecorder.of(context).record(qpn).writePcapng(out);
            }
            LOG.log(System.Logger.Level.WARNING, "{0}: qp {1} failed: {2}; its last events are in {3}", device, number, why, file);
            if (FILES.incrementAndGet() == MAX_FILES) {
                LOG.log(System.Logger.Level.WARNING, "no more recordings of failures: this process has written {0}", MAX_FILES);
            }
        } catch (IOException refused) {
            LOG.log(System.Logger.Level.WARNING, "{0}: qp {1} failed: {2}; its recording cannot be written: {3}", device, number, why,
                refused);
        }
    }
}
