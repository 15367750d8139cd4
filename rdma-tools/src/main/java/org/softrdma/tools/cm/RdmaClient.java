// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.Consumer;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * {@code rdma_client} and {@code rdma_server}: a message of sixteen bytes in each direction, with a synchronous identifier and the minimum
 * of calls that a connection needs.
 */
public final class RdmaClient implements Tool {
    private static final int MESSAGE_BYTES = 16;

    private final boolean server;

    private RdmaClient(boolean server) {
        this.server = server;
    }

    public static RdmaClient client() {
        return new RdmaClient(false);
    }

    public static RdmaClient server() {
        return new RdmaClient(true);
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        TestOptions options = new TestOptions("7471", PortSpace.TCP);
        options.destination = server ? "0.0.0.0" : "127.0.0.1";
        GetoptLong reader = new GetoptLong(name, "s:p:", List.of(), arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 's' -> options.destination = reader.argument();
                case 'p' -> options.port = reader.argument();
                default -> {
                    console.print("usage: " + name + "\n\t[-s server_address]\n\t[-p port_number]\n");
                    return 1;
                }
            }
        }
        console.println((server ? "rdma_server" : "rdma_client") + ": start");
        console.out().flush();
        int status = 0;
        try {
            if (Verbs.devices().isEmpty()) {
                // librdmacm returns -1 without devices, which is EAI_BADFLAGS.
                console.print("rdma_getaddrinfo: Bad value for ai_flags\n");
                throw new TestFailure(-1);
            }
            if (server) {
                serve(options, console);
            } else {
                call(options, console);
            }
        } catch (TestFailure failure) {
            status = failure.status();
        }
        console.println((server ? "rdma_server" : "rdma_client") + ": end " + status);
        return status & 0xff;
    }

    /** Runs a step, whose failure is reported under the original's name. */
    private static void step(String name, Console console, Runnable call) {
        try {
            call.run();
        } catch (VerbsException refused) {
            throw TestFailure.perror(console, name, refused);
        }
    }

    /** Runs a step that waits for a completion. The original takes any status for success. */
    private static void await(String name, Console console, Consumer<WorkCompletion> wait) {
        WorkCompletion completion = new WorkCompletion();
        step(name, console, () -> {
            wait.accept(completion);
            if (completion.status() != WcStatus.SUCCESS) {
                throw new VerbsException(Errno.ECONNRESET, name, "the work request completed with " + completion.status());
            }
        });
    }

    private static QpInitAttributes queuePair() {
        return QpInitAttributes.rc(null, QpCapabilities.MINIMAL.withMaxInlineData(MESSAGE_BYTES)).withSignalAll(true);
    }

    private static CmId endpoint(TestOptions options, boolean passive, Console console) {
        int port = options.destinationAddress("rdma_getaddrinfo", console).getPort();
        try {
            return ConnectionManager.get().createEndpoint(
                ConnectionManager.addressInfo(options.destination, port, PortSpace.TCP, passive), null, queuePair());
        } catch (VerbsException refused) {
            throw TestFailure.perror(console, "rdma_create_ep", refused);
        }
    }

    private static void call(TestOptions options, Console console) {
        try (Arena arena = Arena.ofShared(); CmId id = endpoint(options, false, console);
             MemoryRegion received = id.pd().register(arena.allocate(MESSAGE_BYTES), AccessFlags.LOCAL_WRITE)) {
            step("rdma_post_recv", console, () -> postReceive(id, received));
            step("rdma_connect", console, () -> id.connect(ConnectionParameters.DEFAULT));
            try {
                step("rdma_post_send", console, () -> postSend(id, arena));
                await("rdma_get_send_comp", console, id::awaitSend);
                await("rdma_get_recv_comp", console, id::awaitReceive);
            } finally {
                disconnect(id, console);
            }
        }
    }

    private static void serve(TestOptions options, Console console) {
        try (Arena arena = Arena.ofShared(); CmId listener = endpoint(options, true, console)) {
            step("rdma_listen", console, () -> listener.listen(0));
            try (CmId id = listener.getRequest();
                 MemoryRegion received = id.pd().register(arena.allocate(MESSAGE_BYTES), AccessFlags.LOCAL_WRITE)) {
                step("rdma_post_recv", console, () -> postReceive(id, received));
                step("rdma_accept", console, id::accept);
                try {
                    await("rdma_get_recv_comp", console, id::awaitReceive);
                    step("rdma_post_send", console, () -> postSend(id, arena));
                    await("rdma_get_send_comp", console, id::awaitSend);
                } finally {
                    disconnect(id, console);
                }
            }
        }
    }

    private static void postReceive(CmId id, MemoryRegion into) {
        id.qp().postReceive(new ReceiveRequest().begin(0).element(into, 0, MESSAGE_BYTES));
    }

    /** Posts zeros, inline. */
    private static void postSend(CmId id, Arena arena) {
        id.qp().postSend(new SendRequest().send().inlineData(arena.allocate(MESSAGE_BYTES)));
    }

    /** Disconnects. The result of the test does not depend on it: the peer may have disconnected first. */
    private static void disconnect(CmId id, Console console) {
        try {
            id.disconnect();
        } catch (VerbsException refused) {
            console.error("rdma_disconnect: " + refused.getMessage());
        }
    }
}
