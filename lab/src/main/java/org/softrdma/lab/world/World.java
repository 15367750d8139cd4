// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.Map;
import org.softrdma.lab.ladder.Arrow;

/** Something that the laboratory shows. Any thread. */
public interface World extends AutoCloseable {
    /**
     * Returns what is new, as the page reads it.
     *
     * @param seen what the page knows already; moved on
     */
    Map<String, Object> news(Cursor seen);

    /**
     * Returns a packet.
     *
     * @throws IllegalArgumentException if there is none of that number
     */
    Arrow arrow(int id);

    @Override
    void close();
}
