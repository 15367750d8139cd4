// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ipoib.IpoibAddress;

/**
 * Link-layer address of an interface.
 *
 * @param qpn      its UD queue pair, 24 bits
 * @param gid      of its port
 * @param connects whether it takes RC connections
 */
record LinkAddress(int qpn, Gid gid, boolean connects) {
    static LinkAddress read(ByteBuffer b, int at) {
        return new LinkAddress(IpoibAddress.QPN.get(b, at),
            new Gid(IpoibAddress.GID_HIGH.getLong(b, at), IpoibAddress.GID_LOW.getLong(b, at)),
            (IpoibAddress.FLAGS.get(b, at) & IpoibAddress.RC_SUPPORTED) != 0);
    }

    void put(ByteBuffer b, int at) {
        IpoibAddress.FLAGS.set(b, at, connects ? IpoibAddress.RC_SUPPORTED : 0);
        IpoibAddress.QPN.set(b, at, qpn);
        IpoibAddress.GID_HIGH.set(b, at, gid.high());
        IpoibAddress.GID_LOW.set(b, at, gid.low());
    }
}
