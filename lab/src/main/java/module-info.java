// SPDX-License-Identifier: Apache-2.0

/** The laboratory in the browser. Start with {@link org.softrdma.lab.Lab}. */
@SuppressWarnings({"module", "requires-automatic"})
module org.softrdma.lab {
    requires org.softrdma.host;
    requires org.softrdma.link;
    requires org.softrdma.testing;
    requires org.softrdma.wire;
    requires com.google.gson;
    requires jdk.httpserver;
    requires org.commonmark;

    uses org.softrdma.link.subnet.SubnetSimulator;

    exports org.softrdma.lab to org.softrdma.tools;
    exports org.softrdma.lab.lesson to org.softrdma.tools;

    opens org.softrdma.lab to com.google.gson;
    opens org.softrdma.lab.lesson to com.google.gson;
    opens org.softrdma.lab.world to com.google.gson;
}
