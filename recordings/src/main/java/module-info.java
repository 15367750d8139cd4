// SPDX-License-Identifier: Apache-2.0

/** Recordings of the last events of queue pairs and connections: the model, JSON lines and pcapng, written and read. */
module org.softrdma.recording {
    requires transitive org.softrdma.verbs;
    requires org.softrdma.wire;
    requires com.fasterxml.jackson.core;

    exports org.softrdma.recording;
}
