// SPDX-License-Identifier: Apache-2.0

/** The iWARP provider. */
@SuppressWarnings({"module", "requires-automatic"})
module org.softrdma.siw {
    requires transitive org.softrdma.verbs;
    requires org.softrdma.cm;
    requires org.softrdma.device;
    requires org.softrdma.host;
    requires org.softrdma.linux;
    requires org.softrdma.wire;
    requires org.agrona;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;

    exports org.softrdma.siw;
    exports org.softrdma.siw.config;
    exports org.softrdma.siw.sim to org.softrdma.simulator, org.softrdma.testing;

    provides org.softrdma.host.config.LinkType with org.softrdma.siw.config.SiwLinkType;
    provides org.softrdma.verbs.VerbsProvider with org.softrdma.siw.SiwProvider;
}
