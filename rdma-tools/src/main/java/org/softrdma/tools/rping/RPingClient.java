// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;

/** Client of rping: advertises a text for the server to read, and compares what the server writes back. */
final class RPingClient extends RPingRun {
    private static final char FIRST_LETTER = 'A';
    private static final char LAST_LETTER = 'z';

    RPingClient(RPingOptions options, Console console) {
        super(options, console);
    }

    @Override
    void play() {
        resolve();
        try {
            first.setUp();
            first.takeCompletions();
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

    @Override
    RPingEnd onRequest(CmId request) {
        return null;
    }

    @Override
    void onEstablished(RPingEnd end) {
        proceed(end, RPingState.CONNECTED);
    }

    /** An established connection can be rejected, too; the state ERROR then says that it is over. */
    @Override
    RPingState afterFailure(RPingState now) {
        return now.compareTo(RPingState.CONNECTED) < 0 ? now : RPingState.ERROR;
    }

    @Override
    void release(RPingEnd end) {
        // The client's only end is freed by the thread of the test.
    }

    private void resolve() {
        InetSocketAddress source = options.source == null ? null : new InetSocketAddress(options.source, 0);
        try {
            id.resolveAddress(source, new InetSocketAddress(options.address, options.port), RESOLVE_TIMEOUT_MS);
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
        for (int ping = 0; options.count == 0 || ping < options.count; ping++) {
            first.state(RPingState.RDMA_READ_ADV);
            write(text, ping, letter);
            letter = next(letter);
            post(() -> first.advertise(first.start()));
            first.await(RPingState.RDMA_WRITE_ADV, "wait for RDMA_WRITE_ADV");
            post(() -> first.advertise(first.data()));
            first.await(RPingState.RDMA_WRITE_COMPLETE, "wait for RDMA_WRITE_COMPLETE");
            MemorySegment back = first.data().memory();
            if (options.validate && text.mismatch(back) >= 0) {
                throw new ToolFailure(RPingEnd.FAILED, "data mismatch!");
            }
            if (options.verbose) {
                show("ping data: ", back, textLength(back));
            }
        }
    }

    /** Writes the ping's number, then letters up to the last byte, which is 0. */
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
}
