// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A run of {@code lab/capture}, from its start until the file is complete. */
final class Capture implements AutoCloseable {
    /** On a busy machine dumpcap waits for a processor before it has read all packets. */
    private static final int STOP_SECONDS = 60;

    private final Process process;
    private final Path file;
    private boolean ended;

    private Capture(Process process, Path file) {
        this.process = process;
        this.file = file;
    }

    /**
     * Starts a capture and returns once packets are being recorded.
     *
     * @param filter packets to record, in pcap-filter syntax
     */
    static Capture start(KernelLab lab, Path file, String filter) {
        try {
            Process process = new ProcessBuilder(KernelLab.script("capture"), lab.name(), file.toString(), filter)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            byte[] word = process.getInputStream().readNBytes("capturing\n".length());
            if (!new String(word, StandardCharsets.UTF_8).equals("capturing\n")) {
                lab.requireAlive();
                throw new IllegalStateException("lab/capture ended at once with exit code " + process.waitFor());
            }
            return new Capture(process, file);
        } catch (IOException | InterruptedException refused) {
            throw new IllegalStateException("cannot capture to " + file, refused);
        }
    }

    /** Ends the recording, without waiting: {@link #stop} returns the file, which contains every packet seen before this call. */
    void end() {
        if (!ended) {
            ended = true;
            process.destroy();
        }
    }

    /** Stops the capture. When it returns, the file contains every packet seen before the call, or before that of {@link #end}. */
    Path stop() {
        end();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("lab/capture did not stop within " + STOP_SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                throw new IllegalStateException("lab/capture failed with exit code " + process.exitValue() + ", see standard error: " + file
                    + " is incomplete");
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            throw new IllegalStateException(interrupted);
        }
        return file;
    }

    @Override
    public void close() {
        stop();
    }
}
