// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.mad.Mad;

/**
 * Datagrams that opensm 3.3.23, infiniband-diags 44 and ibsim 0.10 exchanged, one in a line: 32 bytes of ibsim's header and the MAD behind
 * it, trailing zeros left out.
 */
final class IbCaptures {
    /** Bytes before the MAD. */
    static final int MAD_AT = 32;
    private static final String FILE = "/golden/ib/opensm-and-tools.txt";

    private IbCaptures() {
    }

    static List<ByteBuffer> all() {
        try (InputStream in = IbCaptures.class.getResourceAsStream(FILE)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().map(IbCaptures::packet).toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static ByteBuffer packet(String hex) {
        ByteBuffer b = ByteBuffer.allocate(MAD_AT + Mad.LENGTH);
        b.put(0, Bytes.hex(hex));
        return b;
    }

    /** The first response of a class with an attribute. */
    static ByteBuffer response(int managementClass, int method, int attribute, Predicate<ByteBuffer> which) {
        return all().stream().filter(b -> Mad.managementClass(b, MAD_AT) == managementClass && Mad.method(b, MAD_AT) == method
            && Mad.attribute(b, MAD_AT) == attribute && which.test(b)).findFirst().orElseThrow();
    }
}
