// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.verbs.VerbsException;

/** A call that a Java program has sent. It never blocks: the program waits for its events itself, and no signal ends it. */
final class JoinedCall implements TrappedCall {
    private final JoinedProcess process;
    private final int number;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final AtomicBoolean answered = new AtomicBoolean();

    /** @param number of the file that the call is made on */
    JoinedCall(JoinedProcess process, int number) {
        this.process = process;
        this.number = number;
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
        return number;
    }

    @Override
    public DeviceFile file(int descriptor) {
        return process.file(descriptor);
    }

    @Override
    public boolean isNonBlocking(int descriptor) {
        return true;
    }

    @Override
    public int give(DeviceFile file) {
        return process.give(file);
    }

    @Override
    public void admitSignals() {
        // A program that has joined sends no signals.
    }

    @Override
    public boolean claim() {
        return !answered.get() && claimed.compareAndSet(false, true);
    }

    @Override
    public boolean isPending() {
        return !answered.get() && !claimed.get();
    }

    @Override
    public boolean answer(long result) {
        if (!answered.compareAndSet(false, true)) {
            return false;
        }
        process.answer(result, "");
        return true;
    }

    @Override
    public boolean refuse(VerbsException reason) {
        if (!answered.compareAndSet(false, true)) {
            return false;
        }
        process.refuse(reason);
        return true;
    }
}
