// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.softrdma.interop.Json;
import org.softrdma.verbs.WcStatus;

/** The guest's responder: each operation is a request to {@code guest/siw-peer.py}. */
final class GuestResponder implements IwarpResponder {
    static final int CONTROL_PORT = 18601;

    private final GuestProgram program;
    private Regions regions;

    GuestResponder(InetAddress guest, int port) {
        program = new GuestProgram("siw-peer.py", guest, CONTROL_PORT);
        program.ask(Json.object("op", "listen", "address", guest.getHostAddress(), "port", port));
    }

    @Override
    public Regions accept(int receives, int bytes) {
        Map<?, ?> named = (Map<?, ?>) program.ask(Json.object("op", "accept", "receives", receives, "bytes", bytes, "size", SIZE));
        regions = new Regions(region(named, "writable"), region(named, "second"), region(named, "readable"), region(named, "foreign"),
            region(named, "last"));
        return regions;
    }

    @Override
    public void refuse(byte[] privateData) {
        program.ask(Json.object("op", "refuse", "data", HexFormat.of().formatHex(privateData)));
    }

    @Override
    public Region invalidatable() {
        return regions.writable();
    }

    @Override
    public byte[] written() {
        return HexFormat.of().parseHex((String) program.ask(Json.object("op", "written")));
    }

    @Override
    public void read(int bytes) {
        program.ask(Json.object("op", "read", "bytes", bytes));
    }

    @Override
    public WcStatus readStatus() {
        return WcStatus.of(((Long) program.ask(Json.object("op", "readStatus"))).intValue());
    }

    /** Waits for the first receive; the invalidated key is unknown, since completions of libsiw do not contain it. */
    @Override
    public Received receive() {
        Map<?, ?> received = (Map<?, ?>) program.ask(Json.object("op", "receive"));
        return new Received(WcStatus.of(((Long) received.get("status")).intValue()), HexFormat.of().parseHex((String) received.get("data")),
            null);
    }

    private static Region region(Map<?, ?> regions, String name) {
        Map<?, ?> region = (Map<?, ?>) regions.get(name);
        return new Region(((Long) region.get("rkey")).intValue(), (Long) region.get("address"));
    }

    @Override
    public List<WcStatus> receives() {
        return ((List<?>) program.ask(Json.object("op", "receives"))).stream().map(each -> WcStatus.of(((Long) each).intValue())).toList();
    }

    @Override
    public void close() {
        program.close();
    }
}
