// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.softrdma.storage.nvme.controller.CommandSlot.Direction;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.IdentifyController;
import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.Opcode;
import org.softrdma.storage.nvme.wire.QueueRequest;
import org.softrdma.storage.nvme.wire.Response;

/**
 * One queue of a host: receives commands, moves their data by RDMA READ and WRITE, executes them and sends responses. One thread at a time.
 *
 * <p>A command stays in the slot that received it until its response is sent, so a host has no more commands in work than its queue has
 * entries. Those that need a buffer while none is free wait in order. At most one READ for each slot and one WRITE and one SEND for each
 * response are posted at once: {@link #sendRequests}.
 */
public final class QueueMachine {
    static final int NO_BUFFER = -1;

    private final Subsystem subsystem;
    private final NvmeCounters counters;
    private final QueuePort port;
    private final QueueRequest queue;
    private final CommandSet fabrics;
    private final CommandSlot[] slots;
    private final int[] freeBuffers;
    private int freeBufferCount;
    private final int[] freeResponses;
    private int freeResponseCount;
    /** By response: the buffer that its RDMA WRITE is sent from, or NO_BUFFER. */
    private final int[] buffersOfResponses;
    private final ArrayDeque<CommandSlot> awaitingBuffer = new ArrayDeque<>();
    private final ArrayDeque<CommandSlot> awaitingResponse = new ArrayDeque<>();
    private Controller controller;
    private CommandSet commands;
    /** Entries of the submission queue, from Connect. */
    private int entries;
    private boolean withoutFlowControl;
    private int head;
    /** Async event requests without a response. */
    private final ArrayDeque<CommandSlot> eventRequests = new ArrayDeque<>();
    /** Arrival of the last capsule. */
    private long nowNs;
    private boolean over;

    /** Creates the machine of a queue that was accepted: its sizes are within the limits of the subsystem. */
    public QueueMachine(Subsystem subsystem, QueueRequest queue, QueuePort port) {
        this.subsystem = subsystem;
        this.queue = queue;
        this.port = port;
        counters = subsystem.counters();
        fabrics = new FabricsCommands(this);
        slots = new CommandSlot[queue.entries()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new CommandSlot(i);
        }
        freeBuffers = countdown(buffers(subsystem.settings(), queue));
        freeBufferCount = freeBuffers.length;
        freeResponses = countdown(responses(queue));
        freeResponseCount = freeResponses.length;
        buffersOfResponses = new int[freeResponses.length];
    }

    private static int[] countdown(int count) {
        int[] all = new int[count];
        for (int i = 0; i < count; i++) {
            all[i] = count - 1 - i;
        }
        return all;
    }

    /** Buffers that the machine of a queue uses. */
    public static int buffers(SubsystemSettings settings, QueueRequest queue) {
        return Math.min(settings.buffers(), queue.entries());
    }

    /** Responses that the machine of a queue has under way at most. */
    public static int responses(QueueRequest queue) {
        return Math.min(queue.entries(), queue.receives());
    }

    /** Places of the send queue that the machine of a queue uses. */
    public static int sendRequests(QueueRequest queue) {
        return queue.entries() + 2 * responses(queue);
    }

    /** Posts the receives. */
    public void begin() {
        for (CommandSlot each : slots) {
            port.postReceive(each.slot());
        }
    }

    // ---- input ----

    /** Takes a command capsule. */
    public void onCapsule(int slot, int length, long nowNs) {
        if (over) {
            return;
        }
        if (length < Command.LENGTH) {
            counters.count(NvmeCounter.SHORT_CAPSULES);
            end();
            return;
        }
        counters.count(NvmeCounter.COMMANDS);
        CommandSlot command = slots[slot];
        command.begin(port.capsule(slot), length);
        this.nowNs = nowNs;
        if (controller != null) {
            controller.onCommand(nowNs);
        }
        prepare(command);
        if (command.isFailed()) {
            respond(command);
        } else if (command.direction() == Direction.NONE || command.pointer().isInCapsule()) {
            execute(command);
        } else {
            awaitingBuffer.add(command);
            startWaiting();
        }
    }

    /** Takes the completion of the RDMA READ of a command. */
    public void onRead(int slot) {
        if (!over) {
            execute(slots[slot]);
            startWaiting();
        }
    }

    /** Takes the completion of a SEND. */
    public void onSent(int response) {
        freeResponses[freeResponseCount++] = response;
        if (buffersOfResponses[response] != NO_BUFFER) {
            freeBuffers[freeBufferCount++] = buffersOfResponses[response];
        }
        if (!over) {
            if (!awaitingResponse.isEmpty()) {
                respond(awaitingResponse.poll());
            }
            startWaiting();
        }
    }

    /** Takes the end of the connection. */
    public void onEnd() {
        over = true;
        if (controller != null) {
            controller.remove(queue.queue(), port);
        }
    }

    private void end() {
        over = true;
        port.end();
    }

    // ---- for the command sets ----

    Subsystem subsystem() {
        return subsystem;
    }

    QueueRequest queue() {
        return queue;
    }

    QueueHandle handle() {
        return port;
    }

    /** Null until Connect. */
    Controller controller() {
        return controller;
    }

    long nowNs() {
        return nowNs;
    }

    /** Connects the queue to a controller. */
    void connect(Controller controller, int entries, boolean withoutFlowControl) {
        this.controller = controller;
        this.entries = entries;
        this.withoutFlowControl = withoutFlowControl;
        if (queue.queue() != 0) {
            commands = new IoCommands(subsystem, controller);
        } else {
            commands = controller.isDiscovery() ? new DiscoveryCommands(this) : new AdminCommands(this);
        }
    }

    /** Addresses of the subsystem for this host. */
    List<Portal> portals() {
        return port.portals();
    }

    /** Fails an async event request if as many as possible are held. */
    void checkEventRequest(CommandSlot command) {
        if (eventRequests.size() == IdentifyController.EVENT_REQUESTS) {
            command.fail(NvmeStatus.EVENT_REQUEST_LIMIT_EXCEEDED);
        }
    }

    /** Keeps an async event request until the controller is reset. */
    void hold(CommandSlot command) {
        command.hold();
        eventRequests.add(command);
    }

    int eventRequests() {
        return eventRequests.size();
    }

    /** Drops async event requests, which a reset does without a response. */
    void dropEventRequests() {
        while (!eventRequests.isEmpty()) {
            port.postReceive(eventRequests.poll().slot());
        }
    }

    // ---- steps of a command ----

    private void prepare(CommandSlot command) {
        command.pointer().readInvalidation(command.capsule());
        if (!Command.hasValidFlags(command.capsule())) {
            command.fail(NvmeStatus.INVALID_FIELD);
            return;
        }
        if (command.opcode() == Opcode.FABRICS) {
            command.set(fabrics);
        } else if (controller != null && controller.isReady()) {
            command.set(commands);
        } else {
            command.fail(NvmeStatus.COMMAND_SEQUENCE_ERROR);
            return;
        }
        command.set().prepare(command);
        if (!command.isFailed() && command.direction() != Direction.NONE) {
            checkData(command);
        }
    }

    private void checkData(CommandSlot command) {
        if (command.dataBytes() > subsystem.settings().largestTransfer()) {
            command.fail(NvmeStatus.INVALID_FIELD);
            return;
        }
        boolean inCapsule = queue.queue() != 0 && command.direction() == Direction.FROM_HOST;
        command.fail(command.pointer().check(command, inCapsule));
        if (!command.isFailed() && command.pointer().isInCapsule()) {
            int at = Command.LENGTH + (int) command.pointer().address();
            command.data(command.capsule().slice(at, command.dataBytes()).order(command.capsule().order()), NO_BUFFER);
            counters.count(NvmeCounter.IN_CAPSULE_WRITES);
        }
    }

    /** Gives free buffers to waiting commands. */
    private void startWaiting() {
        while (freeBufferCount > 0 && !awaitingBuffer.isEmpty()) {
            CommandSlot command = awaitingBuffer.poll();
            int buffer = freeBuffers[--freeBufferCount];
            ByteBuffer data = port.data(buffer);
            command.data(data.slice(0, command.dataBytes()).order(data.order()), buffer);
            if (command.direction() == Direction.FROM_HOST) {
                counters.count(NvmeCounter.DATA_READS);
                port.postRead(command.slot(), buffer, command.dataBytes(), command.pointer().address(), command.pointer().key());
            } else {
                execute(command);
            }
        }
    }

    private void execute(CommandSlot command) {
        command.set().execute(command);
        if (!command.isHeld()) {
            respond(command);
        }
    }

    private void respond(CommandSlot command) {
        if (freeResponseCount == 0) {
            awaitingResponse.add(command);
            return;
        }
        int response = freeResponses[--freeResponseCount];
        buffersOfResponses[response] = NO_BUFFER;
        if (command.buffer() != NO_BUFFER) {
            settleBuffer(command, response);
        }
        counters.count(command.status());
        if (subsystem.trace() != null) {
            subsystem.trace().accept(CommandTrace.line(command, queue.queue(), controller));
        }
        if (entries > 0) {
            head = (head + 1) % entries;
        }
        Response.put(port.response(response), command.result(), withoutFlowControl ? Response.NO_HEAD : head,
            Command.id(command.capsule()), command.status());
        boolean invalidate = command.pointer().isInvalidating();
        if (invalidate) {
            counters.count(NvmeCounter.INVALIDATIONS);
        }
        // The host may send its next command as soon as it has the response.
        port.postReceive(command.slot());
        port.postResponse(response, invalidate, command.pointer().key());
    }

    private void settleBuffer(CommandSlot command, int response) {
        if (command.direction() == Direction.TO_HOST && !command.isFailed()) {
            counters.count(NvmeCounter.DATA_WRITES);
            port.postWrite(command.buffer(), command.dataBytes(), command.pointer().address(), command.pointer().key());
            buffersOfResponses[response] = command.buffer();
        } else {
            freeBuffers[freeBufferCount++] = command.buffer();
        }
    }
}
