// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Map;
import org.softrdma.interop.Json;
import org.softrdma.interop.app.IwarpResponder.Region;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;

/** The guest's initiator: each operation is a request to {@code guest/siw-peer.py}. */
final class GuestInitiator implements IwarpInitiator {
    private final GuestProgram program;

    GuestInitiator(InetAddress guest) {
        program = new GuestProgram("siw-peer.py", guest, GuestResponder.CONTROL_PORT);
    }

    @Override
    public Answer connect(String address, int port) {
        Map<?, ?> answer = (Map<?, ?>) program.ask(Json.object("op", "connect", "address", address, "port", port,
            "size", IwarpResponder.SIZE));
        return new Answer((String) answer.get("event"), HexFormat.of().parseHex((String) answer.get("data")));
    }

    @Override
    public WcStatus write(Region to, byte[] data) {
        return post(WrOpcode.RDMA_WRITE, to.stag(), to.to(), data);
    }

    @Override
    public WcStatus sendWithInvalidate(int stag, byte[] data) {
        return post(WrOpcode.SEND_WITH_INV, stag, 0, data);
    }

    private WcStatus post(WrOpcode opcode, int stag, long to, byte[] data) {
        Object status = program.ask(Json.object("op", "post", "opcode", opcode.value(), "rkey", Integer.toUnsignedLong(stag),
            "address", to, "data", HexFormat.of().formatHex(data)));
        return WcStatus.of(((Long) status).intValue());
    }

    @Override
    public String event() {
        return (String) ((Map<?, ?>) program.ask(Json.object("op", "event"))).get("event");
    }

    @Override
    public void close() {
        program.close();
    }
}
