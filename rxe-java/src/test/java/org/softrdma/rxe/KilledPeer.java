// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpType;

/**
 * One end of a connection on a real interface, whose memory the other end writes; also a program, to be killed: {@code KilledPeer NETDEV
 * [ADDRESS]} prints its address and listens, or connects to ADDRESS, and sends the place to write to in its private data.
 */
final class KilledPeer implements AutoCloseable {
    static final int BYTES = 1 << 20;
    /** ACK timeout code 16: two seconds with all retries, in which a live peer answers, even on a busy machine. */
    private static final CmPathOptions OPTIONS = new CmPathOptions(0, 16, CmPathOptions.UNSET);

    final CmEnd end;
    private final MemoryRegion memory;

    KilledPeer(String device, String netdev) {
        Context context = Rxe.device(device, netdev).open();
        GidEntry address = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
        end = new CmEnd(context, address.gid(), new SimulatedPair.Setup());
        end.options = OPTIONS;
        memory = end.side.memory(BYTES, SimulatedPair.ALL_REMOTE);
    }

    MemoryRegion memory() {
        return memory;
    }

    /** Address and rkey of the memory that the peer may write. */
    String target() {
        return memory.address() + " " + Integer.toUnsignedLong(memory.rkey());
    }

    void listen() {
        end.transport.listen(CmEnd.SERVICE, end);
    }

    void connect(InetAddress to) {
        end.connection = end.transport.open(end);
        end.connection.connect(CmEnd.SERVICE, QpType.RC, end.address, new InetSocketAddress(to, CmEnd.SERVICE.port()),
            end.parameters(target()), end.options);
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void close() {
        memory.close();
        end.close();
    }

    public static void main(String[] arguments) throws Exception {
        try (KilledPeer peer = new KilledPeer("killed", arguments[0])) {
            CmEnd end = peer.end;
            if (arguments.length > 1) {
                peer.connect(InetAddress.getByName(arguments[1]));
                await(() -> end.told().equals("response"));
                end.establish();
            } else {
                peer.listen();
                System.out.println(end.address.getAddress().getHostAddress());
                await(() -> end.count() > 0);
                end.accept(peer.target());
            }
            // The device runs until the process is killed.
            await(() -> false);
        }
    }
}
