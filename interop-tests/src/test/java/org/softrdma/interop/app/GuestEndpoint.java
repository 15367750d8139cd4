// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.softrdma.interop.Json;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** The guest's side: {@code guest/verbs-peer.py} does what it is told, one JSON line a request. */
final class GuestEndpoint implements Endpoint {
    private static final int PORT = 18600;
    private static final int ANSWER_MS = 30_000;
    private static final int BAD_KEY = 0x00abcdef;
    private static final int TEXT_LIMIT = 300;

    private final Socket socket = new Socket();
    private final BufferedReader in;
    private final Gid gid;
    private final Reach reach;

    GuestEndpoint(InetAddress guest, int gidIndex, Settings settings) {
        try {
            socket.connect(new InetSocketAddress(guest, PORT), ANSWER_MS);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MS);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        } catch (IOException refused) {
            throw new UncheckedIOException("no answer from verbs-peer.py in the guest", refused);
        }
        Map<?, ?> made = (Map<?, ?>) ask(settings.json(gidIndex));
        gid = Gid.parseWireText((String) made.get("gid"));
        reach = new Reach((int) number(made, "qpn"), settings.psn(), gid, number(made, "address"), (int) number(made, "rkey"));
    }

    private Object ask(Map<String, Object> request) {
        String line = Json.format(request);
        try {
            System.out.println("> " + shortened(line));
            socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            String answer = in.readLine();
            System.out.println("< " + (answer == null ? "end of file" : shortened(answer)));
            if (answer == null) {
                throw new IllegalStateException("verbs-peer.py closed the connection after " + shortened(line));
            }
            Map<String, Object> result = Json.parseObject(answer);
            if (result.containsKey("error")) {
                throw new IllegalStateException("the guest refused " + shortened(line) + ": " + result.get("error"));
            }
            return result.get("ok");
        } catch (IOException gone) {
            throw new UncheckedIOException("no answer to " + shortened(line), gone);
        }
    }

    private static String shortened(String text) {
        return text.length() <= TEXT_LIMIT ? text : text.substring(0, TEXT_LIMIT) + "… (" + text.length() + ")";
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
        Map<?, ?> came = (Map<?, ?>) ask(Json.object("op", "fromGroup"));
        return new Datagram((int) number(came, "source"), (int) number(came, "immediate"),
            HexFormat.of().parseHex((String) came.get("payload")));
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
        if (socket.isClosed()) {
            return;
        }
        try (socket) {
            ask(Json.object("op", "close"));
        } catch (IOException gone) {
            // then it is closed
        }
    }

    /** A u64 as the number it is. */
    private static Number u64(long value) {
        return value >= 0 ? value : new BigInteger(Long.toUnsignedString(value));
    }
}
