// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** Failure that the peer has reported. */
final class PeerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PeerFailure(String itsWords) {
        super(itsWords);
    }
}
