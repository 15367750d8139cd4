// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.softrdma.fabric.attach.PortMessages;
import org.softrdma.fabric.run.FabricConnection;
import org.softrdma.link.Link;
import org.softrdma.link.SubnetPort;
import org.softrdma.rxe.SubnetDevice;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A port of a running fabric, by names.
 *
 * @param fabric name of the fabric
 * @param node   id or description of a channel adapter
 * @param number of its port, from 1
 */
record AttachedPort(String fabric, String node, int number) implements SubnetDevice.Port {
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

    private String words() {
        return '"' + node + "\" " + number;
    }

    @Override
    public String toString() {
        return fabric + ":" + node + "[" + number + "]";
    }
}
