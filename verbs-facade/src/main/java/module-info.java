// SPDX-License-Identifier: Apache-2.0

/** The API an application compiles against and the interfaces a provider implements. Start with {@link org.softrdma.verbs.Verbs}. */
@SuppressWarnings("module")
module org.softrdma.verbs {
    exports org.softrdma.verbs;
    exports org.softrdma.verbs.cm;
    exports org.softrdma.verbs.provider to org.softrdma.cm, org.softrdma.daemon, org.softrdma.device, org.softrdma.libibverbs,
        org.softrdma.linux, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.verbs.reason;

    uses org.softrdma.verbs.VerbsProvider;
    uses org.softrdma.verbs.cm.ConnectionManagerProvider;
}
