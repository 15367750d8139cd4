// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.daemon.service.DaemonSession;

/** One command of the connection manager, put together as librdmacm does, with room for its answer until it is closed. */
final class UcmCall implements AutoCloseable {
    private final DaemonSession session;
    private final int file;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment command;
    private final MemorySegment body;
    private final MemorySegment answer;

    /**
     * Begins a command.
     *
     * @param file        number of the event channel's file
     * @param answerBytes 0 for a command without answer
     */
    UcmCall(DaemonSession session, int file, int number, int bodyBytes, int answerBytes) {
        this.session = session;
        this.file = file;
        command = arena.allocate(UcmCommand.BYTES + bodyBytes, Long.BYTES);
        body = command.asSlice(UcmCommand.BYTES);
        answer = arena.allocate(Math.max(Long.BYTES, answerBytes), Long.BYTES);
        UcmCommand.cmd(command, 0, number);
        UcmCommand.in(command, 0, bodyBytes);
        UcmCommand.out(command, 0, answerBytes);
    }

    MemorySegment body() {
        return body;
    }

    /** Returns the room for the answer, whose address the body must name. */
    MemorySegment answer() {
        return answer;
    }

    /** Allocates memory that lives as long as the command. */
    MemorySegment room(int bytes) {
        return arena.allocate(bytes, Long.BYTES);
    }

    /**
     * Runs the command.
     *
     * @throws org.softrdma.verbs.VerbsException the connection manager refuses it
     */
    void run(String verb) {
        session.write(verb, file, command.address(), (int) command.byteSize());
    }

    @Override
    public void close() {
        arena.close();
    }
}
