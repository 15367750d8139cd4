// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.softrdma.linux.process.LocalSocket;

/**
 * Messages between {@code run} and the daemon, both of the same release: u32 version, u32 kind, six u32 numbers, and a text. One instance
 * for each direction of a connection; one thread.
 */
final class DaemonMessage {
    /** Sent with a listener: its programs' calls are to be answered. Numbers: the bounds of the descriptors' ranges. */
    static final int SERVE = 1;
    /** Answer: done, or the text that was requested. */
    static final int DONE = 2;
    /** Answer: refused, with the reason. */
    static final int REFUSED = 3;
    /** Request of the daemon for descriptors of the memory of the process in the first number. */
    static final int MEMORY = 4;
    /** Answer to {@link #MEMORY} with two descriptors, or with none if they cannot be opened. */
    static final int MEMORY_OF = 5;
    static final int STATUS = 6;
    static final int STOP = 7;

    static final int NUMBERS = 6;

    private static final int VERSION = 1;
    private static final int KIND = 4;
    private static final int FIRST_NUMBER = 8;
    private static final int TEXT = FIRST_NUMBER + NUMBERS * Integer.BYTES;
    private static final int MAX_BYTES = 16384;

    private final MemorySegment memory = Arena.ofAuto().allocate(MAX_BYTES, 8);
    private int length;

    /** Sends a message; false if the peer has closed. */
    boolean send(LocalSocket socket, int kind, int[] numbers, String text, int... descriptors) {
        memory.set(JAVA_INT, 0, VERSION);
        memory.set(JAVA_INT, KIND, kind);
        for (int i = 0; i < NUMBERS; i++) {
            memory.set(JAVA_INT, FIRST_NUMBER + (long) i * Integer.BYTES, i < numbers.length ? numbers[i] : 0);
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int textBytes = Math.min(bytes.length, MAX_BYTES - TEXT);
        MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, TEXT, textBytes);
        return socket.send(memory, TEXT + textBytes, descriptors);
    }

    /**
     * Receives a message.
     *
     * @return its kind; 0 if the peer has closed, or speaks another version
     */
    int receive(LocalSocket socket) {
        length = socket.receive(memory);
        return length < TEXT || memory.get(JAVA_INT, 0) != VERSION ? 0 : memory.get(JAVA_INT, KIND);
    }

    int number(int index) {
        return memory.get(JAVA_INT, FIRST_NUMBER + (long) index * Integer.BYTES);
    }

    String text() {
        return new String(memory.asSlice(TEXT, length - TEXT).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }
}
