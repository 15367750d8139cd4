// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

/** The MTU of the device's interface, which can shrink below the path MTU of a connection: its full packets are lost from then on. */
public interface InterfaceMtu {
    /** An interface that any path MTU fits. */
    InterfaceMtu AMPLE = new InterfaceMtu() {
        @Override
        public int pathMtu() {
            return Integer.MAX_VALUE;
        }

        @Override
        public void onConnectionLost(int qpn, int pathMtu) {
        }
    };

    /** Largest path MTU in bytes that fits the interface now. Read when a connection failed, not for each packet. */
    int pathMtu();

    /** Reports that a connection failed, most likely because its path MTU no longer fits. */
    void onConnectionLost(int qpn, int pathMtu);
}
