// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.softrdma.siw.Siw;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * The connection of two iWARP ends on the loopback interface, by the connection manager, which the runner tells to use iWARP devices
 * (SOFTRDMA_CM_DEVICES). The process that was told no port is the one that listens.
 */
final class IwarpConnection {
    private static final int RESOLVE_TIMEOUT_MS = 2000;

    private final CmId id = newId();
    private final boolean listens;

    IwarpConnection(Settings settings) {
        listens = settings.number("port", 0) == 0;
        Siw.setOptions(id.verbs(), MpaOptions.parse("crc=" + settings.text("crc", "on") + ",pause=0s"));
    }

    private static CmId newId() {
        CmId made = ConnectionManager.get().createId(null, null, PortSpace.TCP);
        made.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return made;
    }

    /** Of the device that the connection is made by. */
    Context context() {
        return id.verbs();
    }

    /** From INIT to RTS, at both ends. */
    void connect(QueuePair qp, Control control) throws IOException {
        ConnectionParameters parameters = ConnectionParameters.DEFAULT.withQp(qp.qpNum(), false);
        if (listens) {
            CmId listener = newId();
            listener.listen(1);
            control.send(listener.localAddress().getPort());
            listener.getRequest().accept(parameters);
        } else {
            InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), control.in.readInt());
            id.resolveAddress(null, server, RESOLVE_TIMEOUT_MS);
            id.resolveRoute(RESOLVE_TIMEOUT_MS);
            id.connect(parameters);
        }
    }
}
