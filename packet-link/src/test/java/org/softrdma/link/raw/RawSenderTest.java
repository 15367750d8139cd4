// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;

/** A sender beside the link that has the interface, and a station that answers ARP at the other end of a veth pair. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RawSenderTest {
    private static final Gid LOCAL = Gid.ofIpv4(0x0a63_0001);
    private static final Gid SECOND = Gid.ofIpv4(0x0a63_0002);
    private static final Gid SILENT = Gid.ofIpv4(0x0a63_0003);
    private static final RawLinkOptions OPTIONS = RawLinkOptions.on("v0", 0x0200_0000_0001L, List.of(GidType.ROCE_V1));
    private static final long DEADLINE_NS = 20_000_000_000L;

    private final TransmitBatch batch = new TransmitBatch(1, 64);
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();

    private void send(RawSender sender, Gid to) {
        batch.begin(sender.resolve(new PathRequest(GidType.ROCE_V1, LOCAL, to, 0, 64, 0)));
        batch.commit(Bth.LENGTH + Icrc.LENGTH);
        assertEquals(1, sender.send(batch));
    }

    @Test
    void shouldSendBesideALinkAndWaitForMacAddresses() throws Throwable {
        OwnNetwork.run(() -> {
            OwnNetwork.sh("""
                ip link add v0 address 02:00:00:00:00:01 type veth peer name v1
                ip addr add 10.99.0.1/24 dev v0
                ip link set v0 up
                ip link set v1 up""");
            try (RawLink link = new RawLink(List.of(LOCAL), OPTIONS);
                 Station station = new Station("v1", 0x0200_0000_0002L, SECOND.ipv4())) {
                assertTrue(link.has(GidType.ROCE_V1, LOCAL));
                assertThrows(VerbsException.class, () -> new RawLink(List.of(LOCAL), OPTIONS), "the interface is taken");
                Thread answering = Thread.ofPlatform().start(() -> {
                    while (!ended.get()) {
                        received.addAndGet(station.received());
                    }
                });
                try (RawSender sender = new RawSender(new RawLink(List.of(LOCAL), OPTIONS.withoutClaims()))) {
                    send(sender, SECOND);
                    sender.settle(DEADLINE_NS);
                    long untilNs = System.nanoTime() + DEADLINE_NS;
                    while (received.get() == 0 && System.nanoTime() - untilNs < 0) {
                        Thread.onSpinWait();
                    }
                    assertEquals(1, received.get());
                    send(sender, SILENT);
                    sender.settle(1_000_000);
                } finally {
                    ended.set(true);
                    answering.join();
                }
                assertEquals(1, received.get());
            }
        });
    }
}
