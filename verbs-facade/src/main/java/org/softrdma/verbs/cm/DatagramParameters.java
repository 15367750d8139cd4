// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.softrdma.verbs.AddressVector;

/**
 * Destination of datagrams ({@code struct rdma_ud_param}): a peer that accepted, or a group that was joined.
 *
 * @param privateData   as in {@link ConnectionParameters#privateData}
 * @param addressVector for {@link org.softrdma.verbs.ProtectionDomain#createAh}; null in a request
 * @param qpNum         queue pair to send to, 24 bits; {@link #GROUP_QPN} for groups; 0 in a request
 * @param qkey          Q_Key to send with; 0 in a request
 */
public record DatagramParameters(byte[] privateData, AddressVector addressVector, int qpNum, int qkey) {
    /** The Q_Key of queue pairs made by {@link CmId#createQp}, and of groups ({@code RDMA_UDP_QKEY}). */
    public static final int UDP_QKEY = 0x01234567;
    /** The queue pair number that stands for all members of a group. Source: IBA vol 1 §10.5.2.1 */
    public static final int GROUP_QPN = 0xffffff;

    /** Checks that there are private data. */
    public DatagramParameters {
        Objects.requireNonNull(privateData);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DatagramParameters that && Arrays.equals(privateData, that.privateData)
            && Objects.equals(addressVector, that.addressVector) && qpNum == that.qpNum && qkey == that.qkey;
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(privateData), addressVector, qpNum, qkey);
    }

    /** Lists all components; private data without the zeros at its end. */
    @Override
    public String toString() {
        int end = privateData.length;
        while (end > 0 && privateData[end - 1] == 0) {
            end--;
        }
        return "qp 0x" + Integer.toHexString(qpNum) + ", qkey 0x" + Integer.toHexString(qkey)
            + (addressVector == null ? "" : ", ah {" + addressVector + "}") + ", private data ["
            + HexFormat.of().formatHex(privateData, 0, end) + "]";
    }
}
