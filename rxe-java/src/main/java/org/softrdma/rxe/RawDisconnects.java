// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.raw.RawLinkOptions;
import org.softrdma.link.raw.RawLinks;
import org.softrdma.link.raw.RawSender;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.engine.GidTable;
import org.softrdma.rxe.engine.Gsi;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.roce.Icrc;

/** Sends DREQs of RoCE v1 for a process that was killed, in raw frames from its addresses. Needs CAP_NET_RAW, as that process had. */
final class RawDisconnects implements AutoCloseable {
    private static final int HOP_LIMIT = 64;
    /** How long all peers together may take to answer ARP; nearly all are in the host's table. */
    private static final long NEIGHBOURS_NS = 100_000_000;

    private final Map<Gid, RawSender> senders = new HashMap<>();
    private final TransmitBatch batch = new TransmitBatch(1, Gsi.PACKET_BYTES);
    private final Icrc icrc = new Icrc();

    /**
     * Sends one DREQ.
     *
     * @throws VerbsException EADDRNOTAVAIL: no interface has the local address any more; others of {@link RawLinks#openSender} and of
     *     {@link RawSender#resolve}
     */
    void send(GidPair gids, ByteBuffer dreq, int psn) {
        Gid local = gids.local();
        Gid remote = gids.remote();
        RawSender sender = senders.computeIfAbsent(local, RawDisconnects::open);
        int at = batch.begin(sender.resolve(new PathRequest(GidType.ROCE_V1, local, remote, 0, HOP_LIMIT, 0)));
        int end = Gsi.put(batch.buffer(), at, dreq, psn);
        Icrc.put(batch.buffer(), end,
            icrc.ofGrhPayload(batch.buffer(), at, end, local.high(), local.low(), remote.high(), remote.low()));
        batch.commit(end + Icrc.LENGTH - at);
        sender.send(batch);
        // A packet that a full socket refused is not tried again.
        batch.sent(batch.end() - batch.first());
    }

    private static RawSender open(Gid local) {
        NetDevice netdev = NetDevice.list().stream().filter(each -> has(each, local)).findFirst().orElseThrow(() ->
            new VerbsException(Errno.EADDRNOTAVAIL, "open_device", "no interface has the address " + local));
        return RawLinks.openSender(List.of(local), RawLinkOptions.on(netdev.name(), netdev.mac(), List.of(GidType.ROCE_V1)));
    }

    /** Each device on the loopback interface has an address of its own there. */
    private static boolean has(NetDevice netdev, Gid local) {
        return netdev.loopback() ? local.toInetAddress().isLoopbackAddress()
            : GidTable.addressesOf(netdev).contains(local) || local.equals(netdev.defaultGid());
    }

    @Override
    public void close() {
        senders.values().forEach(sender -> {
            sender.settle(NEIGHBOURS_NS);
            sender.close();
        });
    }
}
