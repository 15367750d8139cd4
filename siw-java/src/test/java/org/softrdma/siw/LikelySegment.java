// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Turns random bytes into a segment that a queue pair does not refuse at once: valid versions and queue numbers, sequence numbers near the
 * expected ones, keys of two regions of the queue pair's side, and addresses around their bounds. Laid out after RFC 5040, 5041 and 7306.
 */
final class LikelySegment {
    private static final int WRITE = 0;
    private static final int READ_REQUEST = 1;
    private static final int READ_RESPONSE = 2;
    private static final int TERMINATE = 7;
    private static final int ATOMIC_REQUEST = 10;
    private static final int ATOMIC_RESPONSE = 11;
    private static final int OPCODES = 12;
    private static final int UNTAGGED_BYTES = 18;
    private static final int REGION_BYTES = 256;
    private static final int MOST_PAYLOAD = 31;
    private static final int OTHER_REGION = 1;
    private static final int NO_REGION = 2;

    private final int[] keys;
    private final long[] addresses;
    private final int[] nextMsn = {1, 1, 1, 1};

    /**
     * Creates the generator.
     *
     * @param keys      keys of two regions of 256 bytes
     * @param addresses start addresses of these regions
     */
    LikelySegment(int[] keys, long[] addresses) {
        this.keys = keys;
        this.addresses = addresses;
    }

    /**
     * Makes a segment from random bytes.
     *
     * @return complete header and body, with little or no payload
     */
    byte[] of(byte[] any) {
        int opcode = any.length < 2 ? WRITE : (any[1] & 0xff) % OPCODES;
        int least = leastBytes(opcode);
        byte[] bytes = Arrays.copyOf(any, Math.clamp(any.length, least, hasPayload(opcode) ? least + MOST_PAYLOAD : least));
        ByteBuffer b = ByteBuffer.wrap(bytes);
        boolean tagged = opcode == WRITE || opcode == READ_RESPONSE;
        boolean last = (bytes[0] & 7) != 0 || !tagged && !hasPayload(opcode);
        b.put(0, (byte) ((tagged ? 0x80 : 0) | (last ? 0x40 : 0) | 1)).put(1, (byte) (0x40 | opcode));
        if (tagged) {
            putKeyAndAddress(b, 2, 6);
            return bytes;
        }
        int queue = opcode == TERMINATE ? 2 : opcode == ATOMIC_RESPONSE ? 3 : opcode == READ_REQUEST || opcode == ATOMIC_REQUEST ? 1 : 0;
        boolean askew = (b.get(9) & 0x0f) == 0x0f;
        b.putInt(6, queue).putInt(10, nextMsn[queue] + (askew ? 1 : 0)).putInt(14, b.get(17) & (last ? 0 : 3));
        nextMsn[queue] += last ? 1 : 0;
        if (opcode == READ_REQUEST) {
            b.putInt(30, b.get(33) & 0x1f);
            putKeyAndAddress(b, 34, 38);
        } else if (opcode == ATOMIC_REQUEST) {
            b.putInt(18, b.get(21) & 3);
            putKeyAndAddress(b, 26, 30);
            b.putLong(30, b.getLong(30) & ~7);
        }
        return bytes;
    }

    private static boolean hasPayload(int opcode) {
        return opcode == READ_RESPONSE || opcode == WRITE || opcode > READ_RESPONSE && opcode < TERMINATE;
    }

    private static int leastBytes(int opcode) {
        return switch (opcode) {
            case WRITE, READ_RESPONSE -> 14;
            case READ_REQUEST -> UNTAGGED_BYTES + 28;
            case TERMINATE -> UNTAGGED_BYTES + 4;
            case 8, 9 -> UNTAGGED_BYTES + 8;
            case ATOMIC_REQUEST -> UNTAGGED_BYTES + 52;
            case ATOMIC_RESPONSE -> UNTAGGED_BYTES + 12;
            default -> UNTAGGED_BYTES;
        };
    }

    /** Selects mostly the first region, else the second or none, and an address from eight bytes before its start to its end. */
    private void putKeyAndAddress(ByteBuffer b, int keyAt, int addressAt) {
        int chance = b.get(keyAt + 3) & 0x0f;
        if (chance != NO_REGION) {
            int which = chance == OTHER_REGION ? 1 : 0;
            b.putInt(keyAt, keys[which]);
            b.putLong(addressAt, addresses[which] - 8 + (b.getShort(addressAt + 6) & 0xffff) % (REGION_BYTES + 9));
        }
    }
}
