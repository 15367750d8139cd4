// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name of a track's interface in a capture file, as in {@code rxe0 qp 0x11 pid 4711 peer 0x12 RC virtual}. */
record CaptureName(Track.Kind kind, String device, int number, long pid, long peer, String type, Recording.Clock clock) {
    private static final Pattern NAME = Pattern.compile(
        "(\\S{1,64}) (?:(qp|connection) 0x([0-9a-f]{1,8}) )?pid (\\d{1,18})(?: peer 0x([0-9a-f]{1,8}))?(?: ([A-Z_]{1,16}))?( virtual)?");

    static String of(Track.Head head, Recording.Clock clock) {
        return head + " pid " + head.pid() + (head.peer() == Track.Head.UNKNOWN ? "" : " peer 0x" + Long.toHexString(head.peer()))
            + (head.type().isEmpty() ? "" : " " + head.type()) + (clock == Recording.Clock.VIRTUAL ? " virtual" : "");
    }

    /**
     * Reads a name.
     *
     * @return null if it is the name of no track, as those of other programs' interfaces
     */
    static CaptureName parse(String name) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            return null;
        }
        Track.Kind kind = parts.group(2) == null ? Track.Kind.DEVICE
            : parts.group(2).equals("qp") ? Track.Kind.QUEUE_PAIR : Track.Kind.CONNECTION;
        return new CaptureName(kind, parts.group(1), parts.group(3) == null ? 0 : Integer.parseUnsignedInt(parts.group(3), 16),
            Long.parseLong(parts.group(4)), parts.group(5) == null ? Track.Head.UNKNOWN : Long.parseLong(parts.group(5), 16),
            parts.group(6) == null ? "" : parts.group(6), parts.group(7) == null ? Recording.Clock.WALL : Recording.Clock.VIRTUAL);
    }
}
