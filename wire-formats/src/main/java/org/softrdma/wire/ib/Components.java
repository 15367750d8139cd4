// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.wire.mad.Field;

/**
 * Components of a record, in the order of the bits of ComponentMask: a query names by these bits the components that must be equal. A
 * component is one field, or several side by side as the two halves of a GID; a reserved one is equal to everything. Source: IBA vol 1
 * §15.4.4.
 */
public final class Components {
    private final List<List<Field>> components;

    private Components(List<List<Field>> components) {
        this.components = components;
    }

    /** Lists components one by one. */
    public static final class Builder {
        private final List<List<Field>> components = new ArrayList<>();

        private Builder() {
        }

        /**
         * Adds a component of these fields.
         *
         * @param fields the fields, in order
         * @return this builder
         */
        public Builder next(Field... fields) {
            components.add(List.of(fields));
            return this;
        }

        /**
         * Adds a component for each field.
         *
         * @param fields the fields, in order
         * @return this builder
         */
        public Builder each(Field... fields) {
            for (Field field : fields) {
                next(field);
            }
            return this;
        }

        /**
         * Adds reserved components.
         *
         * @param count number of components
         * @return this builder
         */
        public Builder reserved(int count) {
            for (int i = 0; i < count; i++) {
                components.add(List.of());
            }
            return this;
        }

        /**
         * Adds {@code count} components of {@code bytes} each, which begin at {@code offset}.
         *
         * @param offset offset in the structure, bytes
         * @param bytes bytes of each component
         * @param count number of components
         * @return this builder
         */
        public Builder array(int offset, int bytes, int count) {
            for (int i = 0; i < count; i++) {
                next(wide(offset + i * bytes, bytes));
            }
            return this;
        }

        /** {@return the components added so far, as a table} */
        public Components build() {
            return new Components(List.copyOf(components));
        }
    }

    /**
     * Begins a list of components.
     *
     * @return a builder without components
     */
    public static Builder builder() {
        return new Builder();
    }

    /** The fields that cover some bytes together. */
    private static Field[] wide(int offset, int bytes) {
        Field[] fields = new Field[(bytes + Long.BYTES - 1) / Long.BYTES];
        for (int i = 0; i < fields.length; i++) {
            int at = offset + i * Long.BYTES;
            fields[i] = Field.bytes(at, Math.min(Long.BYTES, offset + bytes - at));
        }
        return fields;
    }

    /** {@return the number of components, reserved ones included: the bits that a mask can have} */
    public int count() {
        return components.size();
    }

    /**
     * {@return the bit of the component that has a field}
     *
     * @param field a field that begins a component
     */
    public long bit(Field field) {
        for (int i = 0; i < components.size(); i++) {
            if (components.get(i).contains(field)) {
                return 1L << i;
            }
        }
        throw new IllegalArgumentException("no component has the field at byte " + field.offset());
    }

    /**
     * {@return the bits of the components that have these fields}
     *
     * @param fields the fields, in order
     */
    public long bits(Field... fields) {
        long bits = 0;
        for (Field field : fields) {
            bits |= bit(field);
        }
        return bits;
    }

    /**
     * {@return whether two records are equal in all components that are in the mask; bits beyond the last component have no effect}
     *
     * @param mask component mask, raw 64 bits
     * @param first buffer of the first record
     * @param firstAt offset of the first record
     * @param second buffer of the second record
     * @param secondAt offset of the second record
     */
    public boolean match(long mask, ByteBuffer first, int firstAt, ByteBuffer second, int secondAt) {
        for (int i = 0; i < components.size(); i++) {
            if ((mask >>> i & 1) != 0 && !equal(components.get(i), first, firstAt, second, secondAt)) {
                return false;
            }
        }
        return true;
    }

    private static boolean equal(List<Field> fields, ByteBuffer first, int firstAt, ByteBuffer second, int secondAt) {
        for (Field field : fields) {
            if (field.getLong(first, firstAt) != field.getLong(second, secondAt)) {
                return false;
            }
        }
        return true;
    }
}
