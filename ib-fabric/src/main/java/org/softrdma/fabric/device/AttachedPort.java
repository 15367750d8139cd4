// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.softrdma.fabric.attach.PortMessages;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.fabric.net.PortResolver;
import org.softrdma.fabric.run.FabricConnection;
import org.softrdma.link.Link;
import org.softrdma.link.SubnetPort;
import org.softrdma.rxe.SubnetDevice;
import org.softrdma.rxe.SubnetResolver;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * A port of a running fabric, by names.
 *
 * @param fabric   name of the fabric
 * @param node     id or description of a channel adapter
 * @param number   of its port, from 1
 * @param prefixes IP addresses for connections, and their subnets; may be empty
 */
record AttachedPort(String fabric, String node, int number, List<Prefix> prefixes) implements SubnetDevice.Port {
    @Override
    public Link attach() {
        return new FabricLink(toString(), FabricConnection.attach(fabric, words()));
    }

    @Override
    public SubnetPort read() {
        try {
            byte[] registers = HexFormat.of().parseHex(FabricConnection.execute(fabric, "registers " + words()).strip());
            if (registers.length == PortMessages.PORT_LENGTH) {
                return PortMessages.readPort(toString(), ByteBuffer.wrap(registers), 0);
            }
        } catch (IllegalArgumentException noDigits) {
            // the same complaint
        }
        throw new VerbsException(Errno.EIO, "fabric", "the fabric " + fabric + " is of another version; restart it");
    }

    @Override
    public List<InetAddress> addresses() {
        return prefixes.stream().map(each -> each.address().toInetAddress()).toList();
    }

    @Override
    public InetAddress sourceFor(InetAddress destination) {
        Gid to = Gid.of(destination);
        return prefixes.stream().filter(each -> each.contains(to)).map(each -> each.address().toInetAddress()).findFirst().orElse(null);
    }

    @Override
    public SubnetResolver resolve(Context context) {
        return new PortResolver(context, prefixes);
    }

    private String words() {
        return '"' + node + "\" " + number;
    }

    @Override
    public String toString() {
        return fabric + ":" + node + "[" + number + "]";
    }
}
