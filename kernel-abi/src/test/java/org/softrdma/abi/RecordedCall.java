// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * One line of {@code rdma-core-44.txt}: a call of the stock libraries, or a record in a ring.
 *
 * @param kind first word of the line
 * @param bytes what was passed, in native memory
 * @param inputs of an ioctl: what its attributes point to, by index of the attribute
 */
record RecordedCall(String kind, MemorySegment bytes, Map<Integer, MemorySegment> inputs) {
    /** Reads the calls of one program. */
    static List<RecordedCall> of(String program) throws IOException {
        List<RecordedCall> calls = new ArrayList<>();
        boolean wanted = false;
        try (InputStream in = RecordedCall.class.getResourceAsStream("rdma-core-44.txt")) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
                String[] words = line.strip().split(" ");
                if (words[0].equals("program")) {
                    wanted = line.substring("program ".length()).startsWith(program);
                } else if (wanted && words[0].equals("in")) {
                    calls.getLast().inputs().put(Integer.valueOf(words[1]), memory(words[2]));
                } else if (wanted && !line.isBlank()) {
                    calls.add(new RecordedCall(words[0], memory(words[1]), new HashMap<>()));
                }
            }
        }
        if (calls.isEmpty()) {
            throw new IllegalArgumentException("no calls of " + program);
        }
        return calls;
    }

    /** Calls of one kind. */
    static List<RecordedCall> of(String program, String kind) throws IOException {
        return of(program).stream().filter(each -> each.kind().equals(kind)).toList();
    }

    private static MemorySegment memory(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        MemorySegment memory = Arena.ofAuto().allocate(bytes.length, 8);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return memory;
    }
}
