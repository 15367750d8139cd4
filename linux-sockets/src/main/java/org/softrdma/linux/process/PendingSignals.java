// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.lang.foreign.MemorySegment;

/**
 * Signals that wait for threads in a call which only fatal signals end, see {@link FilteredLaunch}. Whoever answers such a call late looks
 * for them, and ends the call as the kernel would end one that sleeps. Any thread. Source: proc(5); {@code complete_signal} in Linux.
 */
public final class PendingSignals {
    /** No signal waits. */
    public static final int NONE = 0;
    /**
     * ERESTARTSYS: once the signal is handled, the kernel makes the call again or fails it with EINTR, as the handler was installed. Only
     * for a thread that is certain to look for signals when its call ends: another one would see this number.
     */
    public static final int RESTART = 512;

    private static final byte[] OWN = ProcPath.ascii("SigPnd:");
    private static final byte[] SHARED = ProcPath.ascii("ShdPnd:");
    private static final byte[] BLOCKED = ProcPath.ascii("SigBlk:");
    private static final byte[] IGNORED = ProcPath.ascii("SigIgn:");
    private static final int HEXADECIMAL = 16;

    private PendingSignals() {
    }

    /**
     * Returns the error that a thread's call is to end with because of signals. A signal of the process is for its first thread, unless
     * that blocks it. When the process is being stopped, all its threads stop. Allocates nothing.
     *
     * @param pid the thread's process
     * @return {@link #NONE}; {@link #RESTART}; or EINTR if the thread is one of those that the signal may be for
     */
    public static int errno(int pid, int tid) {
        MemorySegment text = CLibrary.current().text;
        int length = ProcessInfo.readStatus(tid, text);
        long own = signals(text, length, OWN);
        long shared = signals(text, length, SHARED);
        long awaited = ~(signals(text, length, BLOCKED) | signals(text, length, IGNORED));
        if ((own & awaited) != 0) {
            return RESTART;
        }
        if (tid == pid) {
            return (shared & awaited) != 0 ? RESTART : NONE;
        }
        length = ProcessInfo.readStatus(pid, text);
        if (ProcessInfo.isStopped(text, length)) {
            return RESTART;
        }
        return (shared & awaited & signals(text, length, BLOCKED)) != 0 ? CLibrary.EINTR : NONE;
    }

    private static long signals(MemorySegment text, int length, byte[] name) {
        return ProcText.number(text, length, name, HEXADECIMAL, 0);
    }
}
