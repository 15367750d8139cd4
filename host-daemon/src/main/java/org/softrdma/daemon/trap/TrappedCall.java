// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.verbs.VerbsException;

/**
 * A system call of a program that waits for its answer. It is answered once, by any thread, at any time: a call that blocks in the kernel
 * is not answered until it would return. Answering after the caller was interrupted or ended has no effect.
 */
public interface TrappedCall {
    /** Returns the calling process. */
    ClientProcess process();

    /** Returns the calling thread's number. */
    int thread();

    /** Returns the descriptor of the caller that the call is made on: its first argument. */
    int descriptor();

    /**
     * Finds the file of ours that a descriptor of the caller means, whatever number it has and however it was copied.
     *
     * @return null if it is no file of ours
     */
    DeviceFile file(int descriptor);

    /** Returns whether a descriptor of the caller is in non-blocking mode (O_NONBLOCK). */
    boolean isNonBlocking(int descriptor);

    /**
     * Adds a descriptor of a file to the caller, close-on-exec; without answering the call. From then on the file is watched, and closed
     * with the process.
     *
     * @return its number in the caller
     * @throws org.softrdma.verbs.VerbsException EMFILE; ESRCH: the caller is gone
     */
    int give(DeviceFile file);

    /**
     * Lets signals end the call from now on, as those of a call that sleeps in the kernel; until then only fatal ones do. For a call that
     * waits for something that may never come.
     */
    void admitSignals();

    /**
     * Claims the call for its answer: no signal but a fatal one ends it any more. Needed before the memory of a caller is written that has
     * {@linkplain #admitSignals waited}, because it may use that memory otherwise as soon as its call has ended.
     *
     * @return false if the call has ended, or another thread has claimed it
     */
    boolean claim();

    /** Returns whether the caller still waits for the answer, and no thread has claimed the call. */
    boolean isPending();

    /**
     * Answers the call.
     *
     * @param result value that the call returns, or a negative errno
     * @return false if the caller has not seen the answer: it was interrupted or ended, or the call was answered before. What the call
     *     would have taken from a queue is still to be delivered then
     */
    boolean answer(long result);

    /**
     * Answers the call with an error.
     *
     * @return as {@link #answer}
     */
    default boolean refuse(VerbsException reason) {
        return answer(-reason.errno().value());
    }
}
