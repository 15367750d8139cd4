// SPDX-License-Identifier: Apache-2.0
/**
 * The messages of InfiniBand's communication management. IBA vol 1 chapter 12.
 *
 * <p>Reading order: {@link org.softrdma.wire.cm.CmMessage} (which messages there are, and the fields they share),
 * {@link org.softrdma.wire.cm.CmReq} and {@link org.softrdma.wire.cm.CmRep}, the others by need; {@link org.softrdma.wire.cm.CmCheck} for
 * received ones; {@link org.softrdma.wire.cm.CmIpHeader} and {@link org.softrdma.wire.cm.ServiceId} for IP addresses and ports in private
 * data, as Linux's rdma_cm encodes them (IBA vol 1 annex A11).
 */
package org.softrdma.wire.cm;
