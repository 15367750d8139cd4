// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Reads completions in place, field by field as needed ({@code struct ibv_cq_ex}), without copying or allocating. Between a
 * {@link #startPoll} that returns true and its {@link #endPoll} the completion queue belongs to the reading thread: others that poll wait.
 *
 * <pre>{@code
 * if (reader.startPoll()) {
 *     do {
 *         handle(reader.wrId(), reader.status(), reader.byteLength());
 *     } while (reader.nextPoll());
 *     reader.endPoll();
 * }
 * }</pre>
 *
 * The fields are those of the current completion; calling them, {@link #nextPoll} or {@link #endPoll} without one throws EINVAL. After a
 * failure only {@link #wrId}, {@link #status}, {@link #qpNum}, {@link #vendorError} and {@link #timestampNs} are defined.
 */
public interface CompletionReader {
    /**
     * Makes the oldest completion current. Drives the device when there is none, as {@link CompletionQueue#poll} does.
     *
     * @return false if there is none
     */
    boolean startPoll();

    /**
     * Makes the next completion current.
     *
     * @return false if there is no more; the last one then stays current
     */
    boolean nextPoll();

    /** Removes all completions up to the current one from the queue and releases the queue to other threads. */
    void endPoll();

    /** {@return the opaque 64 bits the work request carried} */
    long wrId();

    /** {@return the outcome} */
    WcStatus status();

    /** {@return what was completed} */
    WcOpcode opcode();

    /** {@return the provider-specific detail of a failure; 0 if there is none} */
    int vendorError();

    /** {@return bytes received, read, or 8 for atomics; u32} Undefined for sends and writes. */
    int byteLength();

    /** {@return the immediate data as the four bytes on the wire, big-endian in this int; meaningful with {@link WcFlags#WITH_IMM}} */
    int immediate();

    /** {@return the rkey that the peer's SEND invalidated; meaningful with {@link WcFlags#WITH_INV}} */
    int invalidatedRkey();

    /** {@return the number of the local queue pair} */
    int qpNum();

    /** {@return the number of the sending queue pair (datagrams only)} */
    int sourceQp();

    /** {@return bits of {@link WcFlags}} */
    int flags();

    /**
     * {@return the time at which the completion was added, on the clock of {@link Context#rawClockNs}} A soft device reads its clock once
     * per round of work, so all completions of one round have the time at which the round began.
     */
    long timestampNs();
}
