// SPDX-License-Identifier: Apache-2.0
package example;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * A client and a server that find each other by IP address and port, as with sockets. The client sends its name, the server greets it.
 *
 * <pre>
 * java -jar target/connect-by-address.jar server                   # in one terminal
 * java -jar target/connect-by-address.jar client 127.0.0.1 Alice   # in another
 * </pre>
 *
 * With {@code SOFTRDMA_CM_DEVICES=iwarp} in the environment of both, the same program talks iWARP.
 */
public final class Greeting {
    private static final int PORT = 7471;
    private static final int BYTES = 256;
    /** The identifier makes the completion queues, as none is given. Every send completes. */
    private static final QpInitAttributes QUEUES = QpInitAttributes.rc(null, QpCapabilities.ofDepth(4)).withSignalAll(true);

    private Greeting() {
    }

    public static void main(String[] arguments) {
        if (arguments.length == 1 && arguments[0].equals("server")) {
            serve();
        } else if (arguments.length == 3 && arguments[0].equals("client")) {
            call(arguments[1], arguments[2]);
        } else {
            System.err.println("usage: server | client HOST NAME");
            System.exit(2);
        }
    }

    /** Greets one client. */
    private static void serve() {
        AddressInfo address = ConnectionManager.addressInfo(null, PORT, PortSpace.TCP, true);
        try (CmId listener = ConnectionManager.get().createEndpoint(address, null, QUEUES)) {
            listener.listen(0);
            System.out.println("server: listening at port " + PORT);
            try (CmId id = listener.getRequest();
                 MemoryRegion buffer = id.pd().register(Arena.ofAuto().allocate(BYTES), AccessFlags.LOCAL_WRITE)) {
                // Before the client can send, there is a receive.
                id.qp().postReceive(new ReceiveRequest().begin(1).element(buffer, 0, BYTES));
                id.accept();

                WorkCompletion done = new WorkCompletion();
                id.awaitReceive(done);
                String name = buffer.memory().getString(0);
                System.out.println("server: " + done.requireSuccess().byteLength() + " bytes from " + id.peerAddress() + ": " + name);

                buffer.memory().setString(0, "Hello, " + name + "!");
                id.qp().postSend(new SendRequest().send().wrId(2).element(buffer, 0, BYTES));
                id.awaitSend(done);
                done.requireSuccess();
                // A SEND that has completed is in the client's memory.
                id.disconnect();
            }
        }
    }

    private static void call(String host, String name) {
        AddressInfo address = ConnectionManager.addressInfo(host, PORT, PortSpace.TCP, false);
        try (CmId id = ConnectionManager.get().createEndpoint(address, null, QUEUES);
             MemoryRegion buffer = id.pd().register(Arena.ofAuto().allocate(BYTES), AccessFlags.LOCAL_WRITE);
             MemoryRegion answer = id.pd().register(Arena.ofAuto().allocate(BYTES), AccessFlags.LOCAL_WRITE)) {
            id.qp().postReceive(new ReceiveRequest().begin(1).element(answer, 0, BYTES));
            id.connect(ConnectionParameters.DEFAULT);

            buffer.memory().setString(0, name);
            int length = name.getBytes(StandardCharsets.UTF_8).length + 1;
            id.qp().postSend(new SendRequest().send().wrId(2).element(buffer, 0, length));
            WorkCompletion done = new WorkCompletion();
            id.awaitSend(done);
            done.requireSuccess();
            id.awaitReceive(done);
            done.requireSuccess();
            System.out.println("client: " + answer.memory().getString(0));
            id.disconnect();
        }
    }
}
