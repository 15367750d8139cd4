// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.softrdma.linux.process.LocalSocket;

/**
 * Messages between the daemon and {@code run} or a Java program, both of the same release: u32 version, u32 kind, six u32 numbers, and a
 * text. One instance for each direction of a connection; one thread.
 */
final class DaemonMessage {
    /** Sent with a listener: its programs' calls are to be answered. Two numbers: their limit of open files, the lower half first. */
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
    /**
     * Sent by a Java program with two descriptors, of its memory and of its mappings: it joins the daemon, and the requests below follow.
     * The text is its PID namespace.
     */
    static final int JOIN = 8;
    /** Request for the devices: the answer's text has a line for each, {@link DaemonSession.Listed}. */
    static final int DEVICES = 9;
    /** Request for what sysfs says of a device to C programs: its name in the text. */
    static final int ABOUT = 10;
    /** Request to open the device file that the text names. */
    static final int OPEN = 11;
    /** An ioctl: number of the file, and the address of the argument as two numbers, the lower half first. */
    static final int IOCTL = 12;
    /** A write: number of the file, address, and bytes. */
    static final int WRITE = 13;
    /** Closes a file: its number. */
    static final int CLOSE = 14;
    /** Sent before an answer, with one descriptor: the program's copy of the file with that number. */
    static final int GIVEN = 15;
    /** Answer to a call: its result or minus errno, the lower half first; with a reason as text where there is one. */
    static final int RESULT = 16;

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

    /** Returns two numbers as one, the lower half first. */
    long longNumber(int index) {
        return Integer.toUnsignedLong(number(index)) | (long) number(index + 1) << Integer.SIZE;
    }

    int number(int index) {
        return memory.get(JAVA_INT, FIRST_NUMBER + (long) index * Integer.BYTES);
    }

    String text() {
        return new String(memory.asSlice(TEXT, length - TEXT).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }
}
