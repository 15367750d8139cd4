// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.nio.ByteBuffer;
import org.softrdma.fabric.model.Fabric;

/** How a process uses a port, after the line that says so. */
interface PortUse {
    /** First word of the line of a subnet manager; node and port follow. */
    String MANAGE = "manage";

    /** Reads whole messages from the front of the input, as many as there are. */
    void consume(Fabric fabric, ByteBuffer input);

    /** The process is gone. */
    void end(Fabric fabric);
}
