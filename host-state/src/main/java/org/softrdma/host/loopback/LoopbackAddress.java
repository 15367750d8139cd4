// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.loopback;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The loopback address that is shared by all processes. */
public final class LoopbackAddress {
    /** Address 127.0.0.1, which is the own address of one process, too. */
    public static final InetAddress ANY_PROCESS = ofBytes(127, 0, 0, 1);

    private LoopbackAddress() {
    }

    private static InetAddress ofBytes(int a, int b, int c, int d) {
        try {
            return InetAddress.getByAddress(new byte[] {(byte) a, (byte) b, (byte) c, (byte) d});
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
