// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.Rxe;
import org.softrdma.rxe.RxeOptions;
import org.softrdma.rxe.config.LocalWire;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.rxe.config.RoceWire;
import org.softrdma.rxe.config.Segmentation;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** One end of a measured connection: a device on the loopback interface, memory, completion queues and queue pairs. */
final class End {
    private static final int PORT = 1;
    private static final int READS_AT_ONCE = 16;
    /** 268 ms, four times perftest's: a peer that other programs keep from running is not a lost packet. */
    private static final int TIMEOUT = 16;
    private static final long PATIENCE_NS = 15_000_000_000L;

    final Context context;
    final ProtectionDomain pd;
    final MemorySegment memory;
    final MemoryRegion region;
    final CompletionChannel channel;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    /** Null if the device speaks RoCE. */
    private final IwarpConnection iwarp;
    /** Null if it speaks iWARP. */
    private final GidEntry gid;
    private final Mtu mtu;
    private final int timeout;

    /** Data received from the other end. */
    long peerAddress;
    int peerRkey;

    /** @param events whether receives announce themselves on {@link #channel} */
    End(Settings settings, long memoryBytes, int sendCqe, int recvCqe, boolean events) {
        iwarp = settings.text("device", "rxe").equals("siw") ? new IwarpConnection(settings) : null;
        context = iwarp != null ? iwarp.context() : rxe(settings);
        timeout = settings.number("timeout", TIMEOUT);
        gid = iwarp != null ? null : ipv4(context);
        mtu = mtu(settings.number("mtu", 4096));
        pd = context.allocatePd();
        memory = Arena.global().allocate(memoryBytes, 4096);
        memory.fill((byte) 0x5a);
        region = pd.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
        channel = events ? context.createCompletionChannel() : null;
        sendCq = context.createCq(sendCqe);
        recvCq = context.createCq(recvCqe, null, channel, 0);
    }

    private static Context rxe(Settings settings) {
        RxeOptions options = RxeOptions.DEFAULT.withFaults(LinkFaults.parse(settings.text("faults", "none")))
            .withRecovery(Recovery.parse(settings.text("recovery", "timeout")))
            .withRecordedEvents(settings.number("record", RxeOptions.DEFAULT.recordedEvents()))
            .withLocalWire(LocalWire.parse(settings.text("wire", "udp")))
            .withSegmentation(Segmentation.parse(settings.text("segmentation", "faithful")))
            .withWire(RoceWire.parse(settings.text("link", "udp"), settings.text("roce", "v2")));
        return Rxe.device("bench", settings.text("netdev", "lo"), options).open();
    }

    private static Mtu mtu(int bytes) {
        for (Mtu each : Mtu.values()) {
            if (each.bytes() == bytes) {
                return each;
            }
        }
        throw new IllegalArgumentException("no path MTU of " + bytes);
    }

    private static GidEntry ipv4(Context context) {
        for (GidEntry each : context.queryGidTable()) {
            if (each.gid().isIpv4Mapped()) {
                return each;
            }
        }
        throw new IllegalStateException("no IPv4 address");
    }

    /**
     * Makes queue pairs in INIT. Ask for more depth than is used: a completion may be seen a moment before its slot in the ring is free.
     */
    QueuePair[] queuePairs(int count, int sendDepth, int recvDepth) {
        QueuePair[] made = new QueuePair[count];
        QpCapabilities capabilities = new QpCapabilities(sendDepth, recvDepth, 1, 1, 0);
        for (int i = 0; i < count; i++) {
            made[i] = pd.createQp(new QpInitAttributes(QpType.RC, sendCq, recvCq, null, capabilities, false));
            made[i].modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(PORT).accessFlags(AccessFlags.REMOTE_ANY));
        }
        return made;
    }

    /** Brings as many queue pairs as the other end has made to RTS; with iWARP it is one. Both ends call it at the same time. */
    void connect(QueuePair[] queuePairs, Control control) throws IOException {
        if (iwarp != null) {
            iwarp.connect(queuePairs[0], control);
            exchangeMemory(control);
        } else {
            connectByNumbers(queuePairs, control);
        }
        control.send(0);
        control.in.readInt();
    }

    /** Whether a SEND that finds no receive is tried again. */
    boolean saysNotReady() {
        return iwarp == null;
    }

    private void exchangeMemory(Control control) throws IOException {
        control.out.writeLong(region.address());
        control.send(region.rkey());
        peerAddress = control.in.readLong();
        peerRkey = control.in.readInt();
    }

    private void connectByNumbers(QueuePair[] queuePairs, Control control) throws IOException {
        int psn = ThreadLocalRandom.current().nextInt(1 << 24);
        control.out.writeLong(gid.gid().high());
        control.out.writeLong(gid.gid().low());
        control.out.writeInt(psn);
        for (QueuePair each : queuePairs) {
            control.out.writeInt(each.qpNum());
        }
        control.out.flush();
        Gid peer = new Gid(control.in.readLong(), control.in.readLong());
        int peerPsn = control.in.readInt();
        for (QueuePair each : queuePairs) {
            each.modify(new QpAttributes().state(QpState.RTR).pathMtu(mtu).destQpn(control.in.readInt()).rqPsn(peerPsn)
                .maxDestRdAtomic(READS_AT_ONCE).minRnrTimer(12).addressVector(AddressVector.to(peer, gid.index())));
            each.modify(new QpAttributes().state(QpState.RTS).timeout(timeout).retryCount(7).rnrRetry(7).sqPsn(psn)
                .maxRdAtomic(READS_AT_ONCE));
        }
        exchangeMemory(control);
    }

    /** Prints where a {@link Flood} reaches this end: address and queue pair. */
    void announceVictim(QueuePair qp) {
        System.out.println("VICTIM victim=" + gid.gid().toInetAddress().getHostAddress() + " qpn=" + qp.qpNum());
        System.out.flush();
    }

    /** Polls until at least one completion came. */
    int await(CompletionQueue cq, WorkCompletion[] into) {
        int count = cq.poll(into);
        long untilNs = 0;
        for (int empty = 1; count == 0; empty++) {
            Thread.onSpinWait();
            if ((empty & 0xffff) == 0) {
                long nowNs = System.nanoTime();
                untilNs = untilNs == 0 ? nowNs + PATIENCE_NS : untilNs;
                if (nowNs - untilNs > 0) {
                    throw new IllegalStateException("no completion for 15 s; counters " + context.counters());
                }
            }
            count = cq.poll(into);
        }
        for (int i = 0; i < count; i++) {
            if (into[i].status() != WcStatus.SUCCESS) {
                throw new IllegalStateException(into[i] + "; counters " + context.counters());
            }
        }
        return count;
    }

    /** Reports what the device counted that a clean run does not have. */
    void reportTrouble(String prefix) {
        value(prefix, "retransmitted_pkts");
        value(prefix, "send_rnr_err");
        value(prefix, "drop_bad_icrc");
        value(prefix, "completer_retry_err");
        value(prefix, "silence_probes");
        value(prefix, "rcvd_seq_err");
        value(prefix, "fault_dropped");
    }

    private void value(String prefix, String counter) {
        long value = context.counters().getOrDefault(counter, 0L);
        if (value != 0) {
            Report.value(prefix + counter, value);
        }
    }
}
