// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.tools.cli.Worker;
import org.softrdma.tools.cm.EventCause;
import org.softrdma.tools.cm.FirstChannel;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** One call of rping: an identifier that connects or listens, and a thread that processes its events. */
abstract class RPingRun implements AutoCloseable {
    static final int RESOLVE_TIMEOUT_MS = 2000;
    /** Exit code without devices: ENODEV. */
    private static final int NO_DEVICE = 19;

    final RPingOptions options;
    final Console console;
    /** The client's end, or the server's listening end. */
    final RPingEnd first;
    final CmId id;
    private final EventChannel channel;
    private Worker events;

    RPingRun(RPingOptions options, Console console) {
        this.options = options;
        this.console = console;
        first = new RPingEnd(options, console);
        channel = FirstChannel.create(NO_DEVICE);
        id = ConnectionManager.get().createId(channel, first, PortSpace.TCP);
        debug("created cm_id " + RPingEnd.name(id) + "\n");
        first.id(id);
    }

    /** Runs the test. */
    final void run() {
        events = Worker.start("rping-cm", this::takeEvents);
        play();
    }

    /** Runs the client's or the server's part, while another thread processes events. */
    abstract void play();

    /**
     * Takes a connection request, on the thread of the events.
     *
     * @return the end of the new connection, which is now the context of the request's identifier; null to refuse it
     */
    abstract RPingEnd onRequest(CmId request);

    /** Continues with an established connection, on the thread of the events. */
    abstract void onEstablished(RPingEnd end);

    /**
     * State after a connection could not be made, or failed.
     *
     * @param now state of the end
     */
    abstract RPingState afterFailure(RPingState now);

    /** Frees an end that is over and that no thread serves; on the thread of the events, after an event was acknowledged. */
    abstract void release(RPingEnd end);

    final void debug(String text) {
        first.debug(text);
    }

    @Override
    public void close() {
        debug("destroy cm_id " + RPingEnd.name(id) + "\n");
        id.close();
        events.interrupt();
        events.join();
        channel.close();
    }

    // ---- events ----

    private void takeEvents() {
        try {
            while (true) {
                CmEvent event = channel.getEvent(-1);
                RPingEnd end = handle(event);
                event.ack();
                if (end != null) {
                    release(end);
                }
            }
        } catch (VerbsException ended) {
            if (ended.errno() != Errno.EINTR) {
                console.error(ended.getMessage());
            }
        }
    }

    /** @return the end that the event was about; null for a refused request */
    private RPingEnd handle(CmEvent event) {
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
                RPingEnd made = onRequest(about);
                if (made == null) {
                    // Closing the identifier refuses the request.
                    about.close();
                    return null;
                }
                debug("child cma " + RPingEnd.name(about) + "\n");
                proceed(end, RPingState.CONNECT_REQUEST);
                return made;
            }
            case CONNECT_RESPONSE -> {
                debug("CONNECT_RESPONSE\n");
                proceed(end, RPingState.CONNECTED);
            }
            case ESTABLISHED -> {
                debug("ESTABLISHED\n");
                onEstablished(end);
            }
            case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED -> {
                console.error("cma event " + event.type().text() + ", error " + event.status());
                EventCause.print(event, console);
                proceed(end, afterFailure(end.state()));
            }
            case DISCONNECTED -> {
                console.error((options.server ? "server" : "client") + " DISCONNECT EVENT...");
                proceed(end, RPingState.DISCONNECTED);
            }
            case DEVICE_REMOVAL -> {
                console.error("cma detected device removal!!!!");
                proceed(end, RPingState.ERROR);
            }
            default -> console.error("unhandled event: " + event.type().text() + ", ignoring");
        }
        return end;
    }

    static void proceed(RPingEnd end, RPingState state) {
        end.state(state);
        end.post();
    }

    // ---- both ends ----

    static void post(Runnable call) {
        try {
            call.run();
        } catch (VerbsException refused) {
            throw new ToolFailure(RPingEnd.FAILED, "post send error " + refused.errno().value() + "\n" + refused.getMessage());
        }
    }

    /** @return bytes before the first 0; the last byte counts as 0 */
    static int textLength(MemorySegment text) {
        int length = 0;
        while (length < text.byteSize() - 1 && text.get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        return length;
    }

    final void show(String what, MemorySegment text, int length) {
        console.print(what + new String(text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1) + "\n");
        console.out().flush();
    }
}
