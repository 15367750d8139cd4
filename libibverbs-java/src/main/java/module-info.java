// SPDX-License-Identifier: Apache-2.0

/** The API on the system's libibverbs. */
module org.softrdma.libibverbs {
    requires org.softrdma.verbs;

    provides org.softrdma.verbs.VerbsProvider with org.softrdma.libibverbs.LibibverbsProvider;
    provides org.softrdma.verbs.cm.ConnectionManagerProvider with org.softrdma.libibverbs.LibrdmacmProvider;
}
