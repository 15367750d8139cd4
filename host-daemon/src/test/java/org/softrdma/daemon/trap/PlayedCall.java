// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A call of a played program, which may be interrupted while it waits. */
public final class PlayedCall implements TrappedCall {
    private static final long INTERRUPTED = -4;
    private static final int SECONDS = 30;

    private final ClientProcess process;
    private final Map<Integer, DeviceFile> files;
    private final int descriptor;
    private final boolean nonBlocking;
    private final CompletableFuture<Long> result = new CompletableFuture<>();
    /** Set to let the next answer be lost, as if a signal had come between the check and the answer. */
    public volatile boolean losesAnswer;

    public PlayedCall(ClientProcess process, Map<Integer, DeviceFile> files, int descriptor, boolean nonBlocking) {
        this.process = process;
        this.files = files;
        this.descriptor = descriptor;
        this.nonBlocking = nonBlocking;
    }

    @Override
    public ClientProcess process() {
        return process;
    }

    @Override
    public int thread() {
        return process.pid();
    }

    @Override
    public int descriptor() {
        return descriptor;
    }

    @Override
    public DeviceFile file(int number) {
        return files.get(number);
    }

    @Override
    public boolean isNonBlocking(int number) {
        return nonBlocking;
    }

    @Override
    public int give(DeviceFile file) {
        throw new VerbsException(Errno.EMFILE, "give", "not in this test");
    }

    @Override
    public void admitSignals() {
    }

    @Override
    public boolean claim() {
        return isPending();
    }

    @Override
    public boolean isPending() {
        return !result.isDone();
    }

    @Override
    public boolean answer(long value) {
        return losesAnswer ? result.complete(INTERRUPTED) && false : result.complete(value);
    }

    /** Plays a signal: the call returns EINTR. */
    public void interrupt() {
        result.complete(INTERRUPTED);
    }

    /** Waits for the result: a value, or a negative errno. */
    public long await() {
        try {
            return result.get(SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            throw new AssertionError("the call does not return", late);
        } catch (InterruptedException | ExecutionException failed) {
            throw new AssertionError(failed);
        }
    }
}
