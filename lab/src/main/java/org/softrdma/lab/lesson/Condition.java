// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import java.util.List;

/**
 * A condition of a goal, as a lesson's data has it. Fields that a kind does not use are null.
 *
 * @param kind     {@code completion}, {@code state}, {@code packet}, {@code sequence}, {@code counter}, {@code refused}, {@code action},
 *                 {@code memory}, {@code exit} or {@code output}
 * @param end      number of an end
 * @param device   number of a device
 * @param status   of completions, by name; a regular expression
 * @param opcode   of completions, by name; a regular expression
 * @param state    of a queue pair
 * @param label    of packets; a regular expression
 * @param fate     of packets: a word as in {@code LOST}
 * @param repeated packets that were sent before
 * @param from     device that sent the packets
 * @param count    at least so many; 1 by default. Of {@code exit} the exit code
 * @param most     at most so many, of packets and completions; then {@code count} is 0 by default
 * @param labels   of packets, in this order, others between them; regular expressions
 * @param name     of a counter
 * @param text     of a refusal, an action or the output; a regular expression
 * @param of       end whose memory is compared
 * @param bytes    how many bytes are compared
 */
public record Condition(String kind, Integer end, Integer device, String status, String opcode, String state, String label, String fate,
                        Boolean repeated, Integer from, Integer count, Integer most, List<String> labels, String name, String text,
                        Integer of, Integer bytes) {
    boolean allows(long found) {
        int least = count != null ? count : most != null ? 0 : 1;
        return found >= least && (most == null || found <= most);
    }
}
