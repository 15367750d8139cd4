// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import org.softrdma.siw.config.MpaOptions;

/**
 * What came out of the set-up of a connection.
 *
 * @param ord         READs and atomics of ours that may be outstanding
 * @param ird         READs and atomics of the peer's that may be
 * @param first       what we say first, on a peer-to-peer connection
 * @param privateData the application's, of the peer
 */
public record Agreement(StreamParameters parameters, int ord, int ird, MpaOptions.Rtr first, byte[] privateData) {
}
