// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

/** Kinds of packets that a ladder draws in different colours. */
public enum PacketKind {
    SEND, WRITE, READ, ATOMIC, ACK, NAK, RNR, CONNECTION, CONGESTION, MANAGEMENT, ANSWER, TRAP, DATA, OTHER
}
