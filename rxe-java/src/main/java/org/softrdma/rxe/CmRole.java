// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.cm.CmPathOptions;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * The protocol behind an {@link RxeCmConnection}: none yet, a connection, or one of the two sides of a SIDR exchange. Called with the
 * device's lock held. The defaults are for calls that the protocol has no message for.
 */
sealed interface CmRole permits CmRole.Unconnected, ConnectionRole, SidrQueryRole, SidrRequestRole {
    /** Role of an end before {@code connect}. */
    CmRole UNCONNECTED = new Unconnected();

    /** State of the end, for error messages. */
    String describe();

    default void accept(long nowNs, ConnectionParameters parameters, int qkey) {
        throw RxeCmConnection.wrongState("accept", describe());
    }

    default void reject(long nowNs, byte[] privateData) {
        throw RxeCmConnection.wrongState("reject", describe());
    }

    default void establish(long nowNs) {
        throw RxeCmConnection.wrongState("establish", describe());
    }

    default void communicationEstablished() {
    }

    default void disconnect(long nowNs) {
    }

    default QpAttributes qpAttributes(QpState to, CmPathOptions options) {
        throw RxeCmConnection.wrongState("init_qp_attr", describe());
    }

    /** Ends the protocol: the peer is notified where that is possible, the handler is not called any more. */
    void abandon(long nowNs);

    /** No protocol yet. */
    final class Unconnected implements CmRole {
        private Unconnected() {
        }

        @Override
        public String describe() {
            return "not connected";
        }

        @Override
        public void abandon(long nowNs) {
        }
    }
}
