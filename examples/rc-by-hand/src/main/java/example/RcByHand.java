// SPDX-License-Identifier: Apache-2.0
package example;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAddress;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.WorkCompletion;

/**
 * Two processes connect a reliable connection by hand: each sends its queue pair's address, and the server the place
 * of its memory, over an ordinary TCP connection. Then the client writes into that memory.
 *
 * <pre>
 * java -jar target/rc-by-hand.jar server                  # in one terminal
 * java -jar target/rc-by-hand.jar client localhost Hello  # in another
 * </pre>
 *
 * Both take the device rxe0, on the loopback interface, unless the system property {@code device} names another.
 */
public final class RcByHand {
    private static final int TCP_PORT = 18515;
    private static final int BYTES = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private RcByHand() {
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 1 && arguments[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(TCP_PORT)) {
                System.out.println("server: waiting at port " + TCP_PORT);
                try (Socket client = listener.accept()) {
                    serve(client);
                }
            }
        } else if (arguments.length == 3 && arguments[0].equals("client")) {
            try (Socket server = new Socket(arguments[1], TCP_PORT)) {
                write(server, arguments[2]);
            }
        } else {
            System.err.println("usage: server | client HOST TEXT");
            System.exit(2);
        }
    }

    /** Lends a region to the client's RDMA WRITE, and waits for the immediate data that says it was used. */
    private static void serve(Socket client) throws IOException {
        try (Context context = Verbs.open(System.getProperty("device", "rxe0"));
             ProtectionDomain pd = context.allocatePd();
             CompletionQueue cq = context.createCq(16);
             QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(16)));
             MemoryRegion region = pd.register(Arena.ofAuto().allocate(BYTES), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {
            QpAddress own = qp.init();
            // A receive must wait for the immediate data before the client can send it. It needs no memory: the data goes to the region.
            qp.postReceive(new ReceiveRequest().begin(1));
            Peer peer = new Peer(client);
            qp.connect(own, QpAddress.parse(peer.exchange(own.toString())));
            peer.exchange(region.address() + " " + region.rkey());

            WorkCompletion arrived = cq.await(PATIENCE).requireSuccess();
            System.out.println("server: " + arrived.byteLength() + " bytes written into my memory: " + region.memory().getString(0));
        }
    }

    private static void write(Socket server, String text) throws IOException {
        try (Arena arena = Arena.ofShared();
             Context context = Verbs.open(System.getProperty("device", "rxe0"));
             ProtectionDomain pd = context.allocatePd();
             CompletionQueue cq = context.createCq(16);
             QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(16)))) {
            MemorySegment bytes = arena.allocateFrom(text);
            try (MemoryRegion region = pd.register(bytes, 0)) {
                QpAddress own = qp.init();
                Peer peer = new Peer(server);
                qp.connect(own, QpAddress.parse(peer.exchange(own.toString())));
                String[] memory = peer.exchange("-").split(" ");

                qp.postSend(new SendRequest().writeWithImmediate(Long.parseLong(memory[0]), Integer.parseInt(memory[1]), 0)
                    .wrId(1).element(region, 0, (int) bytes.byteSize()).signaled());
                System.out.println("client: " + cq.await(PATIENCE).requireSuccess());
            }
        }
    }

    /** The other process, behind a TCP connection. */
    private static final class Peer {
        private final PrintWriter out;
        private final BufferedReader in;

        Peer(Socket socket) throws IOException {
            out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        /** Sends a line, and returns the line that the peer sends. */
        String exchange(String line) throws IOException {
            out.println(line);
            String answer = in.readLine();
            if (answer == null) {
                throw new IOException("the peer closed the connection");
            }
            return answer;
        }
    }
}
