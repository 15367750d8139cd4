// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.softrdma.interop.Json;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** The guest's side: each operation is a request to {@code guest/verbs-peer.py}, one line of JSON. */
final class GuestEndpoint implements Endpoint {
    private static final int PORT = 18600;
    private static final int BAD_KEY = 0x00abcdef;

    private final GuestProgram program;
    private final Gid gid;
    private final Reach reach;

    GuestEndpoint(InetAddress guest, int gidIndex, Settings settings) {
        program = new GuestProgram("verbs-peer.py", guest, PORT);
        Map<?, ?> made = (Map<?, ?>) ask(settings.json(gidIndex));
        gid = Gid.parseWireText((String) made.get("gid"));
        reach = new Reach((int) number(made, "qpn"), settings.psn(), gid, number(made, "address"), (int) number(made, "rkey"));
    }

    private Object ask(Map<String, Object> request) {
        return program.ask(request);
    }

    private static long number(Map<?, ?> object, String name) {
        return (Long) object.get(name);
    }

    private static List<List<Integer>> sges(List<Work.Part> parts) {
        return parts.stream().map(each -> List.of(each.offset(), each.length())).toList();
    }

    private static long unsigned(int value) {
        return Integer.toUnsignedLong(value);
    }

    @Override
    public Reach reach() {
        return reach;
    }

    @Override
    public void connect(Reach peer) {
        ask(Json.object("op", "connect", "qpn", peer.qpn(), "psn", peer.psn(), "gid", peer.gid().wireText()));
    }

    @Override
    public void fill(int offset, byte[] bytes) {
        ask(Json.object("op", "fill", "offset", offset, "data", HexFormat.of().formatHex(bytes)));
    }

    @Override
    public byte[] bytes(int offset, int length) {
        return HexFormat.of().parseHex((String) ask(Json.object("op", "bytes", "offset", offset, "length", length)));
    }

    @Override
    public void receive(long wrId, Work.Part... parts) {
        ask(Json.object("op", "receive", "wrId", wrId, "sges", sges(Arrays.asList(parts))));
    }

    @Override
    public void receiveWithBadKey(long wrId, int length) {
        ask(Json.object("op", "receive", "wrId", wrId, "sges", List.of(List.of(0, length)), "lkey", BAD_KEY));
    }

    @Override
    public void post(Work work) {
        Map<String, Object> request = Json.object("op", "post", "wrId", work.wrId, "opcode", work.opcode.value(), "flags", work.flags,
            "sges", sges(work.parts), "immediate", unsigned(work.immediate), "rkey", unsigned(work.rkey), "address", u64(work.address),
            "compareAdd", u64(work.compareAdd), "swap", u64(work.swap), "flushed", work.flushed,
            "qkey", unsigned(work.qkey == null ? Settings.QKEY : work.qkey), "group", work.group == null ? null : work.group.wireText(),
            "foreignHandle", work.foreignHandle);
        try {
            ask(request);
        } catch (IllegalStateException refused) {
            throw new Refused(refused);
        }
    }

    @Override
    public List<Completion> completions(int count, double seconds) {
        List<Completion> found = new ArrayList<>();
        for (Object each : (List<?>) ask(Json.object("op", "completions", "count", count, "seconds", seconds))) {
            Map<?, ?> wc = (Map<?, ?>) each;
            found.add(new Completion(number(wc, "wrId"), WcStatus.of((int) number(wc, "status")), WcOpcode.of((int) number(wc, "opcode")),
                (int) number(wc, "bytes"), (int) number(wc, "immediate"), (int) number(wc, "raw"), (int) number(wc, "flags"),
                (int) number(wc, "source")));
        }
        return found;
    }

    @Override
    public int bind(long wrId, int offset, int length, int access) {
        Object key = ask(Json.object("op", "bind", "wrId", wrId, "offset", offset, "length", length, "access", access));
        return ((Long) key).intValue();
    }

    @Override
    public int bindTypeOne(long wrId, int offset, int length, int access) {
        Object key = ask(Json.object("op", "bindTypeOne", "wrId", wrId, "offset", offset, "length", length, "access", access));
        return ((Long) key).intValue();
    }

    @Override
    public Target foreignRegion(int size) {
        Map<?, ?> made = (Map<?, ?>) ask(Json.object("op", "foreign", "size", size));
        return new Target(number(made, "address"), (int) number(made, "rkey"));
    }

    @Override
    public void join(Gid group) {
        ask(Json.object("op", "join", "group", group.toInetAddress().getHostAddress(), "from", gid.toInetAddress().getHostAddress()));
    }

    @Override
    public Datagram fromGroup() {
        Map<?, ?> received = (Map<?, ?>) ask(Json.object("op", "fromGroup"));
        return new Datagram((int) number(received, "source"), (int) number(received, "immediate"),
            HexFormat.of().parseHex((String) received.get("payload")));
    }

    @Override
    public void deregister() {
        ask(Json.object("op", "deregister"));
    }

    @Override
    public String state() {
        return (String) ask(Json.object("op", "state"));
    }

    @Override
    public void sendRaw(Gid to, byte[] packet) {
        ask(Json.object("op", "raw", "from", gid.toInetAddress().getHostAddress(), "port", RAW_PORT,
            "to", to.toInetAddress().getHostAddress(), "packet", HexFormat.of().formatHex(packet)));
    }

    @Override
    public void close() {
        program.close();
    }

    /** The unsigned value of a u64. */
    private static Number u64(long value) {
        return value >= 0 ? value : new BigInteger(Long.toUnsignedString(value));
    }
}
