// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.reason;

import java.util.Arrays;
import java.util.Objects;
import org.softrdma.verbs.Explanation;

/**
 * An occurrence of a {@link Reason}: with its values, and with the failure that it follows from. Immutable.
 */
public final class Failure implements Explanation {
    private final Reason reason;
    private final long[] values;
    private final Failure cause;

    private Failure(Reason reason, long[] values, Failure cause) {
        this.reason = reason;
        this.values = values;
        this.cause = cause;
    }

    /**
     * Creates an occurrence.
     *
     * @param reason of the catalogue
     * @param values in the order of the places in the reason's sentence; those at the end may be missing
     * @return the occurrence
     */
    public static Failure of(Reason reason, long... values) {
        return new Failure(reason, values, null);
    }

    /**
     * Makes this occurrence a consequence of another one.
     *
     * @param earlier what it follows from
     * @return a new occurrence
     */
    public Failure after(Failure earlier) {
        return new Failure(reason, values, earlier);
    }

    /** {@return the reason} */
    public Reason reason() {
        return reason;
    }

    @Override
    public int code() {
        return reason.code();
    }

    /** {@return the number of values that are known} */
    public int valueCount() {
        return values.length;
    }

    /**
     * Reads a value.
     *
     * @param place in the reason's sentence, from 0, below {@link #valueCount}
     * @return the value
     */
    public long value(int place) {
        return values[place];
    }

    /** {@return the failure that this one follows from; null for none} */
    public Failure cause() {
        return cause;
    }

    @Override
    public String sentence() {
        return reason.text().with(values);
    }

    /** The sentence, those of the failures before it, and the number and name of the reason for {@code softrdma explain}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(sentence());
        Failure root = this;
        while (root.cause != null) {
            root = root.cause;
            text.append(": ").append(root.sentence());
        }
        return text.append(" [").append(String.format("0x%04x", root.reason.code())).append(' ').append(root.reason.shortName()).append(']')
            .toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Failure that && reason == that.reason && Arrays.equals(values, that.values)
            && Objects.equals(cause, that.cause);
    }

    @Override
    public int hashCode() {
        return 31 * reason.hashCode() + Arrays.hashCode(values);
    }
}
