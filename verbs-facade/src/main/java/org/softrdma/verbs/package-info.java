// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs for Java: the API an application compiles against, the same for every transport. Reading order:
 * {@link org.softrdma.verbs.Verbs}, {@link org.softrdma.verbs.Context}, {@link org.softrdma.verbs.ProtectionDomain},
 * {@link org.softrdma.verbs.QueuePair}, {@link org.softrdma.verbs.SendRequest}, {@link org.softrdma.verbs.CompletionQueue}.
 *
 * <p>Numbers, names and rules are those of the C API (libibverbs); {@code docs/verbs-map.md} lists every call and its counterpart here.
 * A caller's mistake throws {@link org.softrdma.verbs.VerbsException}; the outcome of work is a
 * {@link org.softrdma.verbs.WcStatus completion status}. Closing a parent that has children throws EBUSY. A closed object refuses all
 * calls but those that only return what it was created with (EINVAL, "closed"); a second close does nothing.
 */
package org.softrdma.verbs;
