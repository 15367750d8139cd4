// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

/**
 * A field of a decoded packet.
 *
 * @param layer  name of its header, as in {@code BTH}
 * @param name   name in the specification
 * @param value  for people
 * @param offset of its first byte, from the beginning of the packet
 * @param length bytes, at least 1; neighbouring fields may share a byte
 */
public record Field(String layer, String name, String value, int offset, int length) {
}
