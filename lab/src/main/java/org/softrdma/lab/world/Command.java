// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

/**
 * Something that a learner does, as the page sends it. Fields that an action does not use are null.
 *
 * @param action     {@code write}, {@code read}, {@code send}, {@code fetch_add}, {@code compare_swap}, {@code receive}, {@code modify},
 *                   {@code connect}, {@code disconnect}, {@code faults}, {@code partition}, {@code kill}, {@code heal},
 *                   {@code deregister}, {@code register}; in a subnet {@code power}, {@code manage}, {@code end_manager}, {@code join},
 *                   {@code transfer}, {@code pull}, {@code plug}, {@code faults}
 * @param end        number of an end
 * @param connection number of a connection
 * @param device     number of a device, or of a node
 * @param bytes      length of the data
 * @param count      how many times; of {@code manage} the priority
 * @param key        {@code right}, {@code wrong}, or {@code beyond}: the right key, and an address behind the memory
 * @param state      of a queue pair
 * @param text       faults, or rights
 * @param fence      with a fence
 * @param cable      number of a cable
 * @param to         number of the node that a transfer goes to, -1 for the broadcast group
 */
public record Command(String action, Integer end, Integer connection, Integer device, Integer bytes, Integer count, String key,
                      String state, String text, Boolean fence, Integer cable, Integer to) {
    private static final int MOST = 4096;

    int endOr(int usual) {
        return end == null ? usual : end;
    }

    int bytesOr(int usual) {
        int value = bytes == null ? usual : bytes;
        if (value < 0 || value > 1 << 24) {
            throw new IllegalArgumentException(value + " bytes; 0 to 16 MiB are allowed");
        }
        return value;
    }

    int countOr(int usual) {
        int value = count == null ? usual : count;
        if (value < 1 || value > MOST) {
            throw new IllegalArgumentException("count " + value + "; 1 to " + MOST + " are allowed");
        }
        return value;
    }

    boolean isFenced() {
        return fence != null && fence;
    }
}
