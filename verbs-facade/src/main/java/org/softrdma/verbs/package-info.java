// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs for Java: the API an application compiles against, the same for every transport.
 *
 * <p>Numbers, names and rules are those of the C API (libibverbs); {@code docs/verbs-map.md} lists every call and its counterpart here.
 * A caller's mistake throws {@link org.softrdma.verbs.VerbsException}; the outcome of work is a
 * {@link org.softrdma.verbs.WcStatus completion status}. Parents refuse to close while children live (EBUSY).
 */
package org.softrdma.verbs;
