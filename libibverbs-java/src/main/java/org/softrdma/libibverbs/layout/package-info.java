// SPDX-License-Identifier: Apache-2.0

/**
 * Structures of {@code infiniband/verbs.h} on 64-bit hosts: a class for each, with its size and the fields that are used. Begin with
 * {@link org.softrdma.libibverbs.layout.Field}. Offsets and widths are compared with the installed headers in interop-tests.
 */
package org.softrdma.libibverbs.layout;
