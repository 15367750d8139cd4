// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;

/** Server of cmtime: accepts connections on one thread and ends them on another one, so that neither delays the other. */
final class CmTimeServer {
    private final TestOptions options;
    private final Console console;

    CmTimeServer(TestOptions options, Console console) {
        this.options = options;
        this.console = console;
    }

    /** Serves until the thread is interrupted. */
    void serve(EventChannel channel) {
        ConnectionManager manager = ConnectionManager.get();
        try (CmId listener = manager.createId(channel, null, options.space);
             ExecutorService requests = Executors.newSingleThreadExecutor();
             ExecutorService disconnects = Executors.newSingleThreadExecutor()) {
            InetSocketAddress address = options.passiveAddress("getrdmaaddr error", console);
            try {
                listener.bind(address);
            } catch (VerbsException refused) {
                throw TestFailure.perror(console, "bind address failed", refused);
            }
            try {
                listener.listen(0);
            } catch (VerbsException refused) {
                throw TestFailure.perror(console, "failure trying to listen", refused);
            }
            while (true) {
                CmEvent event = channel.getEvent(-1);
                CmId id = event.id();
                switch (event.type()) {
                    case CONNECT_REQUEST -> requests.execute(() -> accept(id));
                    case DISCONNECTED -> disconnects.execute(() -> end(id));
                    case CONNECT_ERROR, UNREACHABLE, REJECTED -> {
                        console.print("event: " + event.type().text() + ", error: " + event.status() + "\n");
                        EventCause.print(event, console);
                        disconnects.execute(id::close);
                    }
                    default -> {
                        // The original ignores the others.
                    }
                }
                event.ack();
            }
        } catch (VerbsException ended) {
            if (ended.errno() != Errno.EINTR) {
                throw TestFailure.perror(console, "failure in rdma_get_cm_event in process_server_events", ended);
            }
        }
    }

    private void accept(CmId id) {
        try {
            id.createQp(null, CmTime.queuePair());
            id.accept();
        } catch (VerbsException refused) {
            TestFailure.warn(console, id.qp() == null ? "failure creating qp" : "failure accepting", refused);
            console.print("failing connection request\n");
            console.out().flush();
            id.close();
        }
    }

    private static void end(CmId id) {
        try {
            id.disconnect();
        } catch (VerbsException alreadyDisconnected) {
            // Closing the identifier is all that is left to do.
        }
        id.close();
    }
}
