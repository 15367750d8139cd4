// SPDX-License-Identifier: Apache-2.0

/** InfiniBand fabrics. Nothing here is API. */
@SuppressWarnings("module")
module org.softrdma.fabric {
    requires transitive org.softrdma.verbs;
    requires org.softrdma.cm;
    requires org.softrdma.device;
    requires org.softrdma.link;
    requires org.softrdma.rxe;
    requires org.softrdma.host;
    requires org.softrdma.linux;
    requires org.softrdma.wire;

    exports org.softrdma.fabric.ipoib to org.softrdma.tools;
    exports org.softrdma.fabric.model to org.softrdma.tools;
    exports org.softrdma.fabric.net to org.softrdma.tools;
    exports org.softrdma.fabric.partition to org.softrdma.tools;
    exports org.softrdma.fabric.run to org.softrdma.tools;
    exports org.softrdma.fabric.topology to org.softrdma.tools;

    provides org.softrdma.host.config.LinkType with org.softrdma.fabric.device.FabricLinkType;
    provides org.softrdma.link.subnet.SubnetSimulator with org.softrdma.fabric.sim.FabricSimulator;
    provides org.softrdma.verbs.VerbsProvider with org.softrdma.fabric.device.FabricProvider;
}
