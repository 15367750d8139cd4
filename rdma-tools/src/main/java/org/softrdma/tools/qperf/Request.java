// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.softrdma.tools.qperf.Parameter.Kind;

/**
 * Which test to run and with which parameters: the first message of a client, 200 bytes, integers little-endian. Three u16 of the version,
 * u16 index of the test, then the {@link Parameter}s. Source: observed of qperf 0.4.11.
 */
final class Request {
    static final int BYTES = 200;
    /** Of the version, which is looked at before the rest is read. */
    static final int VERSION_BYTES = 6;
    static final int MAJOR = 0;
    static final int MINOR = 4;
    static final int INCREMENT = 11;

    private static final int INDEX_AT = 6;

    private final ByteBuffer buffer;

    private Request(byte[] bytes) {
        buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** All parameters are 0 or empty. */
    static Request of(int index) {
        Request request = new Request(new byte[BYTES]);
        request.buffer.putShort(0, (short) MAJOR).putShort(2, (short) MINOR).putShort(4, (short) INCREMENT)
            .putShort(INDEX_AT, (short) index);
        return request;
    }

    /** @param bytes all of it, or the version only; what is left out is 0 */
    static Request parse(byte[] bytes) {
        byte[] all = new byte[BYTES];
        System.arraycopy(bytes, 0, all, 0, bytes.length);
        return new Request(all);
    }

    byte[] toMessage() {
        return buffer.array().clone();
    }

    /** Of qperf as a whole: what differs in its first two numbers does not fit together. */
    static String version() {
        return MAJOR + "." + MINOR + "." + INCREMENT;
    }

    /** @throws QPerfFailure the other qperf is another: the older one is to be upgraded */
    void checkVersion() {
        int major = Short.toUnsignedInt(buffer.getShort(0));
        int minor = Short.toUnsignedInt(buffer.getShort(2));
        if (major == MAJOR && minor == MINOR) {
            return;
        }
        String theirs = major + "." + minor + "." + Short.toUnsignedInt(buffer.getShort(4));
        boolean weAreNewer = MAJOR > major || MAJOR == major && MINOR > minor;
        throw new QPerfFailure(weAreNewer ? "upgrade qperf on client from " + theirs + " to " + version()
            : "upgrade qperf on server from " + version() + " to " + theirs);
    }

    /** Of the test in {@link Tests}. */
    int index() {
        return Short.toUnsignedInt(buffer.getShort(INDEX_AT));
    }

    /** u32. */
    int number(Parameter parameter) {
        assert parameter.kind != Kind.TEXT;
        return buffer.getInt(parameter.offset);
    }

    boolean isSet(Parameter parameter) {
        return number(parameter) != 0;
    }

    Request number(Parameter parameter, int value) {
        assert parameter.kind != Kind.TEXT;
        buffer.putInt(parameter.offset, value);
        return this;
    }

    String text(Parameter parameter) {
        return WireText.read(buffer, parameter.offset);
    }

    /** @param value at most 63 bytes */
    Request text(Parameter parameter, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        assert parameter.kind == Kind.TEXT && bytes.length < Parameter.TEXT_BYTES;
        WireText.write(buffer, parameter.offset, value);
        return this;
    }
}
