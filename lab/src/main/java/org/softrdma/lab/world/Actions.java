// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Locale;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;

/** Actions of a learner in a {@link SimulatedWorld}. */
final class Actions {
    private static final int WRONG_KEY = 0x0bad0b;
    private static final int ATOMIC_BYTES = 8;

    private final SimulatedWorld world;

    Actions(SimulatedWorld world) {
        this.world = world;
    }

    void execute(Command command) {
        switch (String.valueOf(command.action())) {
            case "write", "read", "send", "fetch_add", "compare_swap" -> post(command);
            case "receive" -> receive(command);
            case "modify" -> modify(world.end(command.endOr(0)), command.state());
            case "register" -> register(world.end(command.endOr(0)), command.text());
            case "deregister" -> deregister(world.end(command.endOr(0)));
            case "connect" -> world.addressed(command.endOr(0) / 2).connect();
            case "disconnect" -> world.addressed(command.endOr(0) / 2).disconnect();
            case "faults" -> faults(command.text());
            case "partition" -> partition(command);
            case "kill" -> kill(command);
            case "heal" -> heal();
            default -> throw new IllegalArgumentException("unknown action " + command.action());
        }
    }

    // ---- work requests ----

    private void post(Command command) {
        End end = world.end(command.endOr(0));
        requireQp(end);
        int bytes = command.action().equals("fetch_add") || command.action().equals("compare_swap") ? ATOMIC_BYTES : command.bytesOr(64);
        if (bytes > end.memory.length()) {
            throw new IllegalArgumentException(bytes + " bytes; the memory of " + end.host + " has " + end.memory.length());
        }
        for (int i = 0; i < command.countOr(1); i++) {
            long wrId = end.nextWrId++;
            end.qp.postSend(request(command, end, bytes).wrId(wrId).element(end.memory, 0, bytes).signaled());
            world.note("action", end.number, end.host + ": post_send " + command.action().toUpperCase(Locale.ROOT) + ", " + bytes
                + " bytes, wr_id " + wrId + (command.isFenced() ? ", fence" : ""));
        }
    }

    private SendRequest request(Command command, End end, int bytes) {
        String key = command.key() == null ? "right" : command.key();
        int rkey = key.equals("wrong") ? WRONG_KEY : end.peer.memory.rkey();
        long address = end.peer.memory.address() + (key.equals("beyond") ? end.peer.memory.length() - bytes / 2 : 0);
        SendRequest request = switch (command.action()) {
            case "write" -> new SendRequest().write(address, rkey);
            case "read" -> new SendRequest().read(address, rkey);
            case "send" -> new SendRequest().send();
            case "fetch_add" -> new SendRequest().fetchAndAdd(address, rkey, 1);
            default -> new SendRequest().compareAndSwap(address, rkey, 0, 1);
        };
        return command.isFenced() ? request.fence() : request;
    }

    private void receive(Command command) {
        End end = world.end(command.endOr(1));
        requireQp(end);
        for (int i = 0; i < command.countOr(1); i++) {
            int bytes = command.bytesOr((int) Math.min(end.memory.length(), 4096));
            long wrId = world.receive(end, bytes);
            world.note("action", end.number, end.host + ": post_recv, " + bytes + " bytes, wr_id " + wrId);
        }
    }

    private static void requireQp(End end) {
        if (end.qp == null) {
            throw new IllegalArgumentException(end.host + " has no queue pair yet; connect first");
        }
    }

    // ---- queue pairs and memory ----

    private void modify(End end, String state) {
        requireQp(end);
        QpState to = QpState.valueOf(state);
        world.note("action", end.number, end.host + ": modify_qp to " + to);
        switch (to) {
            case INIT -> QueuePairSteps.toInit(end);
            case RTR -> QueuePairSteps.toRtr(world, end, world.connectionOf(end));
            case RTS -> QueuePairSteps.toRts(end, world.connectionOf(end));
            default -> end.qp.modify(new QpAttributes().state(to));
        }
    }

    private void register(End end, String rights) {
        long bytes = end.memory.length();
        end.memory = end.pd.register(Arena.ofAuto().allocate(bytes, 8), End.access(rights == null ? "all" : rights));
        world.note("action", end.number, end.host + ": reg_mr, " + bytes + " bytes, rights of the peer: " + rights + ", rkey 0x"
            + Integer.toHexString(end.memory.rkey()));
    }

    private void deregister(End end) {
        end.memory.close();
        world.note("action", end.number, end.host + ": dereg_mr");
    }

    // ---- the network ----

    private void faults(String text) {
        world.faults(text == null || text.isBlank() ? "none" : text);
        world.note("action", -1, "faults of the network: " + text);
    }

    private void partition(Command command) {
        End end = world.end(command.endOr(0));
        Duration time = Duration.ofMillis(command.countOr(1));
        world.fabric().partition(end.device, end.peer.device, time);
        world.note("action", end.number, "from " + end.host + " to " + end.peer.host + " nothing arrives for " + time.toMillis() + " ms");
    }

    private void kill(Command command) {
        int device = command.device() == null ? -1 : command.device();
        if (device < 0 || device >= world.scene().devices().size()) {
            throw new IllegalArgumentException("there is no device " + device);
        }
        world.fabric().kill(device);
        world.note("action", -1, world.scene().devices().get(device).name() + " is switched off");
    }

    private void heal() {
        world.fabric().heal();
        world.faults("none");
        world.note("action", -1, "the network is healed");
    }
}
