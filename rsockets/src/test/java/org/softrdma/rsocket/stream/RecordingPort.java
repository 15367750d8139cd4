// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.util.ArrayList;
import java.util.List;

/** Port that records the work requests of a machine as text, for scripts to compare. */
final class RecordingPort implements StreamPort {
    private final List<String> requests = new ArrayList<>();

    @Override
    public void write(int offset, int length, long address, int key, int message) {
        requests.add(String.format("write %d+%d to %x/%x: %s", offset, length, address, key, text(message)));
    }

    @Override
    public void grant(int offset, int length, long address, int key, int message) {
        requests.add(String.format("grant %d+%d to %x/%x: %s", offset, length, address, key, text(message)));
    }

    @Override
    public void send(int message) {
        requests.add(text(message));
    }

    @Override
    public void keepAlive() {
        requests.add("keep-alive");
    }

    /** Formats a message with the numbers of the protocol guide. */
    private static String text(int message) {
        return (message >>> 29) + ":" + (message & 0x1fffffff);
    }

    /** @return work requests since the last call */
    List<String> take() {
        List<String> taken = List.copyOf(requests);
        requests.clear();
        return taken;
    }
}
