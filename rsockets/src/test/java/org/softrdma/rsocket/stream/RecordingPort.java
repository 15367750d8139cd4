// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.util.ArrayList;
import java.util.List;

/** Writes down what a machine asks for; scripts take it out. */
final class RecordingPort implements StreamPort {
    private final List<String> asked = new ArrayList<>();

    @Override
    public void write(int offset, int length, long address, int key, int message) {
        asked.add(String.format("write %d+%d to %x/%x: %s", offset, length, address, key, text(message)));
    }

    @Override
    public void grant(int offset, int length, long address, int key, int message) {
        asked.add(String.format("grant %d+%d to %x/%x: %s", offset, length, address, key, text(message)));
    }

    @Override
    public void tell(int message) {
        asked.add(text(message));
    }

    @Override
    public void keepAlive() {
        asked.add("keep-alive");
    }

    /** Kinds as the protocol guide numbers them. */
    private static String text(int message) {
        return (message >>> 29) + ":" + (message & 0x1fffffff);
    }

    /** What was asked since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(asked);
        asked.clear();
        return taken;
    }
}
