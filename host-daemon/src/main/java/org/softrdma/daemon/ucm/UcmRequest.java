// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.ucm.UcmAccept;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A command of a program, copied once before it is checked, and the place where its answer is put together. Each thread has one, which the
 * next command reuses.
 */
final class UcmRequest {
    /** Largest body: ACCEPT's. Longer ones are cut, as newer libraries may append fields. */
    private static final int MAX_BODY_BYTES = UcmAccept.BYTES;
    /** Largest answer: an event. */
    private static final int MAX_ANSWER_BYTES = UcmEvent.BYTES;
    private static final ThreadLocal<UcmRequest> OF_THREAD = ThreadLocal.withInitial(UcmRequest::new);

    private final MemorySegment command = Arena.ofAuto().allocate(UcmCommand.BYTES + MAX_BODY_BYTES, 8);
    private final MemorySegment body = command.asSlice(UcmCommand.BYTES);
    private final MemorySegment answer = Arena.ofAuto().allocate(MAX_ANSWER_BYTES, 8);
    private TrappedCall call;
    private UcmFile file;
    private String name;

    private UcmRequest() {
    }

    /**
     * Copies a command.
     *
     * @param address where the program's write(2) reads
     * @param bytes   length that the program gave to write(2)
     * @return the thread's request
     * @throws VerbsException EINVAL: too short for its own header; EFAULT: not readable
     */
    static UcmRequest copy(TrappedCall call, UcmFile file, long address, long bytes) {
        UcmRequest request = OF_THREAD.get();
        request.call = call;
        request.file = file;
        request.name = "rdma_ucm";
        request.command.fill((byte) 0);
        if (bytes < UcmCommand.BYTES) {
            throw request.refuse(Errno.EINVAL, bytes + " bytes are no command");
        }
        if (!call.process().memory().read(address, request.command, 0, Math.min(bytes, request.command.byteSize()))) {
            throw request.refuse(Errno.EFAULT, "the command is not readable");
        }
        if (UcmCommand.BYTES + request.bodyBytes() > bytes) {
            throw request.refuse(Errno.EINVAL, "the command is longer than what was written");
        }
        return request;
    }

    /** Sets the name of the command, for messages. */
    void name(String command) {
        name = command;
    }

    TrappedCall call() {
        return call;
    }

    ClientProcess process() {
        return call.process();
    }

    /** Returns the file that the command was written to. */
    UcmFile file() {
        return file;
    }

    UcmDevice device() {
        return file.device();
    }

    /** Returns the number of the command, of which nothing is known yet. */
    int number() {
        return UcmCommand.cmd(command, 0);
    }

    /** Returns the length of the body as the program gives it; what is missing in {@link #body} is zero. */
    int bodyBytes() {
        return UcmCommand.in(command, 0);
    }

    /** Returns the body. */
    MemorySegment body() {
        return body;
    }

    /** Returns the room for the answer, as the program gives it. */
    int room() {
        return UcmCommand.out(command, 0);
    }

    /**
     * Checks the room for the answer.
     *
     * @throws VerbsException ENOSPC
     */
    void requireRoom(int bytes) {
        if (room() < bytes) {
            throw refuse(Errno.ENOSPC, "room for " + room() + " bytes; the answer has " + bytes);
        }
    }

    /** Returns zeroed memory for the answer. */
    MemorySegment answer() {
        return answer.fill((byte) 0);
    }

    /**
     * Writes the answer to the program.
     *
     * @throws VerbsException EFAULT
     */
    void respond(long address, long bytes) {
        if (!process().memory().write(address, answer, 0, bytes)) {
            throw refuse(Errno.EFAULT, "the response is not writable");
        }
    }

    /**
     * Copies further memory of the program.
     *
     * @throws VerbsException EFAULT
     */
    void read(long address, MemorySegment to, long bytes) {
        if (!process().memory().read(address, to, 0, bytes)) {
            throw refuse(Errno.EFAULT, "the argument is not readable");
        }
    }

    VerbsException refuse(Errno errno, String detail) {
        return new VerbsException(errno, name, detail);
    }
}
