// SPDX-License-Identifier: Apache-2.0
package example;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.WorkCompletion;

/**
 * Unreliable datagrams to a multicast group. Two queue pairs join; each receives the datagram of a third, behind 40 bytes that are for the
 * global route header: over IPv4, the last 20 of them are the IP header of the packet, and the first 20 mean nothing.
 *
 * <pre>
 * java -jar target/multicast.jar
 * </pre>
 */
public final class Multicast {
    private static final int QKEY = 0x11111111;
    /** Number that a sender names in place of a queue pair's: all members of the group. */
    private static final int ALL_MEMBERS = 0xffffff;
    private static final int GRH_BYTES = 40;
    private static final int BYTES = 256;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Multicast() {
    }

    public static void main(String[] arguments) throws Exception {
        Gid group = Gid.of(InetAddress.getByName(arguments.length > 0 ? arguments[0] : "239.1.2.3"));
        try (Context context = Verbs.open(System.getProperty("device", "rxe0"));
             ProtectionDomain pd = context.allocatePd();
             CompletionQueue cq = context.createCq(16);
             Member first = new Member(context, pd, group);
             Member second = new Member(context, pd, group);
             QueuePair sender = pd.createQp(QpInitAttributes.ud(cq, QpCapabilities.ofDepth(4).withMaxInlineData(64)));
             AddressHandle handle = pd.createAh(AddressVector.to(group, ipv4(context).index()))) {
            sender.activate(QKEY);
            MemorySegment text = MemorySegment.ofArray("Hello, everybody!".getBytes(StandardCharsets.UTF_8));
            sender.postSend(new SendRequest().send().to(handle, ALL_MEMBERS, QKEY).wrId(1).inlineData(text).signaled());
            cq.await(PATIENCE).requireSuccess();
            first.show(context);
            second.show(context);
        }
    }

    private static GidEntry ipv4(Context context) {
        return context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
    }

    /** A queue pair that belongs to the group, with one receive. */
    private static final class Member implements AutoCloseable {
        private final Gid group;
        private final CompletionQueue cq;
        private final QueuePair qp;
        private final MemoryRegion buffer;

        Member(Context context, ProtectionDomain pd, Gid group) {
            this.group = group;
            cq = context.createCq(4);
            qp = pd.createQp(QpInitAttributes.ud(cq, QpCapabilities.ofDepth(4)));
            buffer = pd.register(Arena.ofAuto().allocate(GRH_BYTES + BYTES), AccessFlags.LOCAL_WRITE);
            qp.activate(QKEY);
            qp.postReceive(new ReceiveRequest().begin(1).element(buffer, 0, GRH_BYTES + BYTES));
            qp.attachMulticast(group);
        }

        void show(Context context) {
            WorkCompletion done = cq.await(PATIENCE).requireSuccess();
            MemorySegment grh = buffer.memory().asSlice(0, GRH_BYTES);
            int length = done.byteLength() - GRH_BYTES;
            String text = new String(buffer.memory().asSlice(GRH_BYTES, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            System.out.println("member 0x" + Integer.toHexString(qp.qpNum()) + ": " + length + " bytes from queue pair 0x"
                + Integer.toHexString(done.sourceQp()) + ": " + text);
            System.out.println("  unused     " + HexFormat.of().formatHex(grh.asSlice(0, 20).toArray(ValueLayout.JAVA_BYTE)));
            System.out.println("  IP header  " + HexFormat.of().formatHex(grh.asSlice(20, 20).toArray(ValueLayout.JAVA_BYTE)));
            System.out.println("  from " + address(grh, 32) + " to " + address(grh, 36));
        }

        private static String address(MemorySegment grh, long offset) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                text.append(i == 0 ? "" : ".").append(grh.get(ValueLayout.JAVA_BYTE, offset + i) & 0xff);
            }
            return text.toString();
        }

        @Override
        public void close() {
            qp.detachMulticast(group);
            qp.close();
            buffer.close();
            cq.close();
        }
    }
}
