// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.tools.cm.FirstChannel;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** {@code rping}. */
public final class RPing implements Tool {
    /** ENODEV. */
    private static final int NO_DEVICE = 19;
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    private static final int BACKLOG = 3;
    private static final char FIRST_LETTER = 'A';
    private static final char LAST_LETTER = 'z';

    @Override
    public int run(String name, List<String> arguments, Console console) {
        RPingOptions options = RPingOptions.parse(arguments, console);
        if (options == null) {
            return RPingOptions.WRONG;
        }
        try (Run run = new Run(options, console)) {
            if (!options.server()) {
                run.client();
            } else if (options.persistent()) {
                run.persistentServer();
            } else {
                run.server();
            }
            return 0;
        }
    }

    /** One call: an identifier that connects or listens, and the thread that takes its events. */
    private static final class Run implements AutoCloseable {
        private final RPingOptions options;
        private final Console console;
        /** Of the client; of a server, the one that listens, and the model of those that are connected. */
        private final RPingEnd first;
        private final EventChannel channel;
        private final CmId id;
        private final Thread events;
        /** A request was taken over, the next one may come. */
        private final Semaphore acceptReady = new Semaphore(1);
        private volatile CmId requested;

        Run(RPingOptions options, Console console) {
            this.options = options;
            this.console = console;
            first = new RPingEnd(options, console);
            channel = FirstChannel.create(NO_DEVICE);
            id = ConnectionManager.get().createId(channel, first, PortSpace.TCP);
            debug("created cm_id " + RPingEnd.name(id) + "\n");
            first.id(id);
            events = Thread.ofPlatform().daemon().name("rping-cm").start(this::takeEvents);
        }

        private void debug(String text) {
            first.debug(text);
        }

        @Override
        public void close() {
            debug("destroy cm_id " + RPingEnd.name(id) + "\n");
            id.close();
            events.interrupt();
            boolean interrupted = false;
            while (events.isAlive()) {
                try {
                    events.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            channel.close();
        }

        // ---- events ----

        private void takeEvents() {
            try {
                while (true) {
                    CmEvent event = channel.getEvent(-1);
                    handle(event);
                    event.ack();
                }
            } catch (VerbsException ended) {
                if (ended.errno() != Errno.EINTR) {
                    console.error(ended.getMessage());
                }
            }
        }

        private void handle(CmEvent event) {
            CmId about = event.id();
            RPingEnd end = (RPingEnd) about.context();
            debug("cma_event type " + event.type().text() + " cma_id " + RPingEnd.name(about) + " (" + (about == id ? "parent" : "child")
                + ")\n");
            switch (event.type()) {
                case ADDR_RESOLVED -> {
                    end.state(RPingState.ADDR_RESOLVED);
                    about.resolveRoute(RESOLVE_TIMEOUT_MS);
                }
                case ROUTE_RESOLVED -> proceed(end, RPingState.ROUTE_RESOLVED);
                case CONNECT_REQUEST -> {
                    if (mayTakeRequest()) {
                        requested = about;
                        debug("child cma " + RPingEnd.name(about) + "\n");
                        proceed(end, RPingState.CONNECT_REQUEST);
                    } else {
                        // Closing refuses it.
                        about.close();
                    }
                }
                case CONNECT_RESPONSE -> {
                    debug("CONNECT_RESPONSE\n");
                    proceed(end, RPingState.CONNECTED);
                }
                case ESTABLISHED -> {
                    debug("ESTABLISHED\n");
                    // The server goes on when something is received.
                    proceed(end, options.server() ? end.state() : RPingState.CONNECTED);
                }
                case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED -> {
                    console.error("cma event " + event.type().text() + ", error " + event.status());
                    // An established connection can be rejected, too: the state says that it is over.
                    proceed(end, end.state().compareTo(RPingState.CONNECTED) < 0 ? end.state() : RPingState.ERROR);
                }
                case DISCONNECTED -> {
                    console.error((options.server() ? "server" : "client") + " DISCONNECT EVENT...");
                    proceed(end, RPingState.DISCONNECTED);
                }
                case DEVICE_REMOVAL -> {
                    console.error("cma detected device removal!!!!");
                    proceed(end, RPingState.ERROR);
                }
                default -> console.error("unhandled event: " + event.type().text() + ", ignoring");
            }
        }

        /** A persistent server takes one after the other; another one takes the first only. */
        private boolean mayTakeRequest() {
            if (!options.persistent()) {
                return acceptReady.tryAcquire();
            }
            try {
                acceptReady.acquire();
                return true;
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        private static void proceed(RPingEnd end, RPingState state) {
            end.state(state);
            end.post();
        }

        // ---- server ----

        void server() {
            listen();
            first.await(RPingState.CONNECT_REQUEST, "wait for CONNECT_REQUEST");
            serve(takeRequest());
        }

        void persistentServer() {
            listen();
            while (true) {
                first.await(RPingState.CONNECT_REQUEST, "wait for CONNECT_REQUEST");
                RPingEnd end = takeRequest();
                acceptReady.release();
                Thread.ofPlatform().daemon().name("rping-server").start(() -> {
                    try {
                        serve(end);
                    } catch (ToolFailure failure) {
                        console.error(failure.getMessage());
                    }
                });
            }
        }

        private void listen() {
            try {
                id.bind(new InetSocketAddress(options.address(), options.port()));
            } catch (VerbsException refused) {
                throw ToolFailure.perror(RPingEnd.FAILED, "rdma_bind_addr", refused);
            }
            debug("rdma_bind_addr successful\n");
            debug("rdma_listen\n");
            try {
                id.listen(BACKLOG);
            } catch (VerbsException refused) {
                throw ToolFailure.perror(RPingEnd.FAILED, "rdma_listen", refused);
            }
        }

        private RPingEnd takeRequest() {
            RPingEnd end = new RPingEnd(options, console);
            end.id(requested);
            requested.context(end);
            return end;
        }

        private void serve(RPingEnd end) {
            try {
                end.setUp();
                accept(end);
                answerPings(end);
                end.disconnect();
            } finally {
                end.id().close();
                end.close();
            }
        }

        private void accept(RPingEnd end) {
            debug("accepting client connection request\n");
            try {
                if (end.hasOwnQp()) {
                    end.moveOwnQp();
                    end.id().accept(end.parameters());
                } else {
                    end.id().accept();
                }
            } catch (VerbsException refused) {
                throw ToolFailure.perror(RPingEnd.FAILED, "rdma_accept", refused);
            }
            end.await();
            if (end.state() == RPingState.ERROR) {
                throw new ToolFailure(RPingEnd.FAILED, "wait for CONNECTED state " + end.state().number() + "\nconnect error -1");
            }
        }

        /** Until the client disconnects, which is how it always ends. */
        private void answerPings(RPingEnd end) {
            try {
                while (true) {
                    answer(end);
                }
            } catch (ToolFailure over) {
                console.error(over.getMessage());
                if (end.state() != RPingState.DISCONNECTED) {
                    end.disconnect();
                    throw new ToolFailure(RPingEnd.FAILED, "rping server failed: -1");
                }
            }
        }

        private void answer(RPingEnd end) {
            end.await(RPingState.RDMA_READ_ADV, "wait for RDMA_READ_ADV");
            debug("server received sink adv\n");
            post(end::postRead);
            debug("server posted rdma read req \n");
            end.await(RPingState.RDMA_READ_COMPLETE, "wait for RDMA_READ_COMPLETE");
            debug("server received read complete\n");
            int length = textLength(end.data().memory());
            if (options.verbose()) {
                show("server ping data: ", end.data().memory(), length);
            }
            post(end::postInfo);
            debug("server posted go ahead\n");
            end.await(RPingState.RDMA_WRITE_ADV, "wait for RDMA_WRITE_ADV");
            debug("server received sink adv\n");
            post(() -> end.postWrite(length + 1));
            end.await(RPingState.RDMA_WRITE_COMPLETE, "wait for RDMA_WRITE_COMPLETE");
            debug("server rdma write complete \n");
            post(end::postInfo);
            debug("server posted go ahead\n");
        }

        // ---- client ----

        void client() {
            resolve();
            try {
                first.setUp();
                connect();
                try {
                    ping();
                } catch (ToolFailure over) {
                    console.error(over.getMessage());
                    if (first.state() != RPingState.DISCONNECTED) {
                        first.disconnect();
                        throw new ToolFailure(RPingEnd.FAILED, "rping client failed: -1");
                    }
                }
                first.disconnect();
            } finally {
                first.close();
            }
        }

        private void resolve() {
            InetSocketAddress source = options.source() == null ? null : new InetSocketAddress(options.source(), 0);
            try {
                id.resolveAddress(source, new InetSocketAddress(options.address(), options.port()), RESOLVE_TIMEOUT_MS);
            } catch (VerbsException refused) {
                throw ToolFailure.perror(RPingEnd.FAILED, "rdma_resolve_addr", refused);
            }
            first.await(RPingState.ROUTE_RESOLVED, "waiting for addr/route resolution");
            debug("rdma_resolve_addr - rdma_resolve_route successful\n");
        }

        private void connect() {
            try {
                id.connect(first.parameters());
            } catch (VerbsException refused) {
                throw ToolFailure.perror(RPingEnd.FAILED, "rdma_connect", refused);
            }
            first.await();
            if (first.state() != RPingState.CONNECTED) {
                throw new ToolFailure(RPingEnd.FAILED, "wait for CONNECTED state " + first.state().number() + "\nconnect error -1");
            }
            if (first.hasOwnQp()) {
                try {
                    first.moveOwnQp();
                    id.establish();
                } catch (VerbsException refused) {
                    throw ToolFailure.perror(RPingEnd.FAILED, "rdma_establish", refused);
                }
            }
            debug("rdma_connect successful\n");
        }

        private void ping() {
            MemorySegment text = first.start().memory();
            char letter = FIRST_LETTER;
            for (int ping = 0; options.count() == 0 || ping < options.count(); ping++) {
                first.state(RPingState.RDMA_READ_ADV);
                write(text, ping, letter);
                letter = next(letter);
                post(() -> first.advertise(first.start()));
                first.await(RPingState.RDMA_WRITE_ADV, "wait for RDMA_WRITE_ADV");
                post(() -> first.advertise(first.data()));
                first.await(RPingState.RDMA_WRITE_COMPLETE, "wait for RDMA_WRITE_COMPLETE");
                MemorySegment back = first.data().memory();
                if (options.validate() && text.mismatch(back) >= 0) {
                    throw new ToolFailure(RPingEnd.FAILED, "data mismatch!");
                }
                if (options.verbose()) {
                    show("ping data: ", back, textLength(back));
                }
            }
        }

        /** The ping's number, then letters up to the last byte, which is 0. */
        private static void write(MemorySegment text, int ping, char firstLetter) {
            byte[] head = String.format(Locale.ROOT, "rdma-ping-%d: ", ping).getBytes(StandardCharsets.US_ASCII);
            char letter = firstLetter;
            for (int i = 0; i < text.byteSize() - 1; i++) {
                text.set(ValueLayout.JAVA_BYTE, i, i < head.length ? head[i] : (byte) letter);
                letter = i < head.length ? letter : next(letter);
            }
            text.set(ValueLayout.JAVA_BYTE, text.byteSize() - 1, (byte) 0);
        }

        private static char next(char letter) {
            return letter == LAST_LETTER ? FIRST_LETTER : (char) (letter + 1);
        }

        // ---- both ----

        private static void post(Runnable call) {
            try {
                call.run();
            } catch (VerbsException refused) {
                throw new ToolFailure(RPingEnd.FAILED, "post send error " + refused.errno().value() + "\n" + refused.getMessage());
            }
        }

        /** Bytes before the first 0; the last byte of ours is one. */
        private static int textLength(MemorySegment text) {
            int length = 0;
            while (length < text.byteSize() - 1 && text.get(ValueLayout.JAVA_BYTE, length) != 0) {
                length++;
            }
            return length;
        }

        private void show(String what, MemorySegment text, int length) {
            console.print(what + new String(text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1) + "\n");
            console.out().flush();
        }
    }
}
