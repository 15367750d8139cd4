// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

/**
 * A line of a world's log.
 *
 * @param timeNs virtual time
 * @param kind   {@code action}, {@code refused}, {@code completion}, {@code failure}, {@code event} or {@code state}
 * @param end    number of the end it belongs to, -1 for none
 * @param text   for people
 */
public record Happening(long timeNs, String kind, int end, String text) {
}
