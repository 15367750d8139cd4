// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.fabric.ipoib.IpoibMode;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.rxe.SubnetResolver;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;

/**
 * IP addresses of a port without an IP stack: an interface of IP over InfiniBand that answers for the addresses, and finds those of others,
 * for connections by address. IP packets that it receives are dropped.
 */
public final class PortResolver implements SubnetResolver {
    private static final System.Logger LOG = System.getLogger(PortResolver.class.getName());
    private static final int PORT = 1;
    private static final int DEFAULT_PKEY = 0xFFFF;

    private final AdministrationAgent agent;
    private final IpoibProcess process;

    /**
     * Starts the interface, in the default partition.
     *
     * @param context of a device on a fabric, closed by the caller afterwards
     * @throws org.softrdma.verbs.VerbsException as {@link IpoibProcess}
     */
    public PortResolver(Context context, List<Prefix> addresses) {
        agent = new AdministrationAgent(context);
        process = new IpoibProcess(context, agent, PORT, DEFAULT_PKEY, IpoibMode.DATAGRAM, new NoStack(),
            event -> LOG.log(System.Logger.Level.DEBUG, "IP over InfiniBand on " + context.device().name() + ": " + event));
        process.onAddresses(addresses);
    }

    @Override
    public Gid findPort(Gid ip, long timeoutNs) {
        return process.findPort(ip, timeoutNs);
    }

    @Override
    public ByteBuffer findPath(Gid port, long timeoutNs) {
        return process.findPath(port, timeoutNs);
    }

    @Override
    public void close() {
        process.close();
        agent.close();
    }

    private static final class NoStack implements IpEnd {
        @Override
        public void run(Sender sender) {
        }

        @Override
        public void onUp(int mtu) {
        }

        @Override
        public void receive(ByteBuffer packet) {
        }

        @Override
        public void close() {
        }
    }
}
