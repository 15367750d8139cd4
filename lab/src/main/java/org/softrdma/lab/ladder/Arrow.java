// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

/** A packet on its way from one lane of a {@link Ladder} to another. */
public final class Arrow {
    /** Time of arrival of a packet that has not arrived, or never will. */
    public static final long NOT_ARRIVED = -1;

    final int id;
    final long sentNs;
    final int from;
    final int to;
    final byte[] bytes;
    final PacketSummary summary;
    final PacketFormat format;
    long arrivedNs = NOT_ARRIVED;
    /** Faults on its way, in the words of the network: {@code LOST}. Empty for none. */
    String fate = "";
    /** Comment of the device that sent it, or reason for what it caused; empty for none. */
    String note = "";
    /** It was sent before. */
    boolean repeated;

    Arrow(int id, long sentNs, int from, int to, byte[] bytes, PacketSummary summary, PacketFormat format) {
        this.id = id;
        this.sentNs = sentNs;
        this.from = from;
        this.to = to;
        this.bytes = bytes;
        this.summary = summary;
        this.format = format;
    }

    public int id() {
        return id;
    }

    public long sentNs() {
        return sentNs;
    }

    public long arrivedNs() {
        return arrivedNs;
    }

    public int from() {
        return from;
    }

    public int to() {
        return to;
    }

    public int length() {
        return bytes.length;
    }

    public PacketSummary summary() {
        return summary;
    }

    public String fate() {
        return fate;
    }

    public String note() {
        return note;
    }

    public boolean isRepeated() {
        return repeated;
    }

    public byte[] bytes() {
        return bytes;
    }

    public PacketFormat format() {
        return format;
    }

    /** Whether it will never arrive. */
    public boolean isLost() {
        return fate.contains("LOST") || fate.contains("PARTITIONED") || fate.contains("QUEUE_FULL") || fate.contains("INBOX_FULL")
            || fate.contains("NO_RECEIVER");
    }
}
