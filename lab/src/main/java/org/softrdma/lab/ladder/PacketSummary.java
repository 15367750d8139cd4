// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

/**
 * A packet in one line.
 *
 * @param label for people: opcode, or what an acknowledgement says
 * @param qpn   queue pair it is addressed to, -1 if unknown
 * @param psn   packet sequence number, -1 if it has none
 */
public record PacketSummary(String label, PacketKind kind, int qpn, int psn) {
}
