// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.function.Consumer;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.PacketObserver;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.PacketText;

/** A line for everything that happens to a packet. */
public final class PacketTrace implements PacketObserver {
    private final Consumer<String> lines;

    public PacketTrace(Consumer<String> lines) {
        this.lines = lines;
    }

    @Override
    public void onPacket(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length, Fate fate) {
        String text = PacketText.describe(packet, offset, offset + Math.max(0, length - Icrc.LENGTH));
        lines.accept(String.format(Locale.ROOT, "%,15d ns  %s > %s  %-11s %s", nowNs, from, to, fate, text));
    }
}
