// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import org.softrdma.siw.config.MpaOptions;

/**
 * Result of the set-up of a connection.
 *
 * @param ord         our READs and atomics that may be outstanding
 * @param ird         the peer's READs and atomics that may be outstanding
 * @param first       our first message, on a peer-to-peer connection
 * @param privateData private data of the peer's application
 */
public record Agreement(StreamParameters parameters, int ord, int ird, MpaOptions.Rtr first, byte[] privateData) {
}
