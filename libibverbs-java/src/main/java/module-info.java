// SPDX-License-Identifier: Apache-2.0

/** The API on the system's libibverbs. */
module org.softrdma.libibverbs {
    requires transitive org.softrdma.verbs;

    exports org.softrdma.libibverbs;

    provides org.softrdma.verbs.VerbsProvider with org.softrdma.libibverbs.LibibverbsProvider;
    provides org.softrdma.verbs.cm.ConnectionManagerProvider with org.softrdma.libibverbs.LibrdmacmProvider;
}
