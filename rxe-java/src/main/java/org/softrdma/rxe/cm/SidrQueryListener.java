// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/** Receives the one result of a {@link SidrQuery}. Called while the owner calls the {@link CommunicationManager}. */
public interface SidrQueryListener {
    /**
     * The peer answered.
     *
     * @param status      0: valid; others in {@link org.softrdma.wire.cm.CmSidrRep}
     * @param qpn         u24, if valid
     * @param qkey        u32, if valid
     * @param privateData 136 bytes
     */
    void onAnswer(SidrQuery query, int status, int qpn, int qkey, byte[] privateData);

    /** The peer does not answer. */
    void onUnreachable(SidrQuery query);
}
