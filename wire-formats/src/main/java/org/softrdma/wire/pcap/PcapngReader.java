// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.pcap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Walks the packets of a pcapng capture in memory. Reads Enhanced and Simple Packet Blocks of either byte order and any number of sections,
 * skips blocks it does not know, and honours if_tsresol and if_tsoffset.
 *
 * <pre>{@code
 *  var reader = new PcapngReader(file);
 *  while (reader.next()) {
 *      frame.dissect(reader.buffer(), reader.linkType(), reader.offset(), reader.length());
 *  }
 * }</pre>
 *
 * Hostile input costs a {@link MalformedCaptureException}, never more. Not thread-safe. Source: draft-ietf-opsawg-pcapng.
 */
public final class PcapngReader {
    private static final int MIN_BLOCK = 12;
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final int DEFAULT_RESOLUTION = 6;

    private final ByteBuffer data;
    private final ByteBuffer file;
    private int at;
    private int interfaces;
    private int[] linkTypes = new int[4];
    private long[] snapLengths = new long[4];
    private int[] resolutions = new int[4];
    private long[] offsetSeconds = new long[4];
    private String[] names = new String[4];

    private int interfaceId;
    private long timestampNs;
    private int offset;
    private int length;
    private long originalLength;
    /** The options of the packet's block. */
    private int optionsAt;
    private int optionsEnd;

    /**
     * Starts before the first packet.
     *
     * @param b the capture from its position to its limit; neither is changed, and the bytes must stay as they are while reading
     */
    public PcapngReader(ByteBuffer b) {
        data = b;
        file = b.duplicate();
        at = b.position();
    }

    /**
     * Moves to the next packet.
     *
     * @return false at the end of the capture
     * @throws MalformedCaptureException if a length, a reference or the first block makes no sense
     */
    public boolean next() {
        while (at < file.limit()) {
            int block = at;
            int type = openBlock(block);
            int blockLength = file.getInt(block + 4);
            at = block + blockLength;
            int bodyEnd = at - 4;
            switch (type) {
                case Pcapng.SECTION_HEADER -> interfaces = 0;
                case Pcapng.INTERFACE_DESCRIPTION -> readInterface(block, bodyEnd);
                case Pcapng.ENHANCED_PACKET -> {
                    readEnhancedPacket(block, bodyEnd);
                    return true;
                }
                case Pcapng.SIMPLE_PACKET -> {
                    readSimplePacket(block, bodyEnd);
                    return true;
                }
                default -> {
                }
            }
        }
        return false;
    }

    /** {@return the buffer given to the constructor, which {@link #offset()} refers to} */
    public ByteBuffer buffer() {
        return data;
    }

    /** {@return when the packet was seen, nanoseconds since 1970 modulo 2^64; 0 for a Simple Packet Block, which does not say} */
    public long timestampNs() {
        return timestampNs;
    }

    /** {@return the link type of the packet's interface, u16; {@link Pcapng#LINK_ETHERNET} and others} */
    public int linkType() {
        return linkTypes[interfaceId];
    }

    /** {@return the number of the packet's interface in its section, from 0} */
    public int interfaceId() {
        return interfaceId;
    }

    /** {@return the name of the packet's interface; empty if the capture does not say} */
    public String interfaceName() {
        return names[interfaceId];
    }

    /** {@return where the packet starts in {@link #buffer()}} */
    public int offset() {
        return offset;
    }

    /** {@return bytes captured, all of them in the buffer} */
    public int length() {
        return length;
    }

    /** {@return bytes the packet had on the wire, u32; more than {@link #length()} if the capture cut it} */
    public long originalLength() {
        return originalLength;
    }

    /**
     * {@return comments on the packet, in the file's order} Allocates.
     *
     * @throws MalformedCaptureException if an option is longer than its block
     */
    public List<String> comments() {
        List<String> comments = new ArrayList<>();
        for (int option = optionsAt; isOption(option, optionsEnd); option = optionEnd(option)) {
            if (optionCode(option) == Pcapng.OPTION_COMMENT) {
                comments.add(optionText(option));
            }
        }
        return comments;
    }

    /**
     * Direction of the packet.
     *
     * @return {@link Pcapng#INBOUND}, {@link Pcapng#OUTBOUND}, or 0 if the capture does not say
     * @throws MalformedCaptureException if an option is longer than its block
     */
    public int direction() {
        for (int option = optionsAt; isOption(option, optionsEnd); option = optionEnd(option)) {
            if (optionCode(option) == Pcapng.OPTION_EPB_FLAGS) {
                require(optionSize(option) == 4, option, "bad epb_flags");
                int direction = file.getInt(option + 4) & 3;
                return direction == 3 ? 0 : direction;
            }
        }
        return 0;
    }

    /** Checks the frame of a block, sets the byte order at a section header, and returns the type. */
    private int openBlock(int block) {
        int left = file.limit() - block;
        require(left >= MIN_BLOCK, block, "truncated block");
        int type = file.getInt(block);
        if (type == Pcapng.SECTION_HEADER) { // the same in both byte orders
            file.order(ByteOrder.BIG_ENDIAN);
            if (file.getInt(block + 8) == Integer.reverseBytes(Pcapng.BYTE_ORDER_MAGIC)) {
                file.order(ByteOrder.LITTLE_ENDIAN);
            }
            require(file.getInt(block + 8) == Pcapng.BYTE_ORDER_MAGIC, block, "no byte-order magic");
            require(left >= Pcapng.SECTION_HEADER_LENGTH, block, "truncated section header");
            require(file.getInt(block + 4) >= Pcapng.SECTION_HEADER_LENGTH, block, "section header too short");
            require(file.getShort(block + 12) == 1, block, "unknown major version");
        } else {
            require(block != file.position(), block, "no section header");
        }
        int blockLength = file.getInt(block + 4);
        require(blockLength >= MIN_BLOCK && blockLength <= left && (blockLength & 3) == 0, block, "bad block length");
        require(file.getInt(block + blockLength - 4) == blockLength, block, "block lengths differ");
        return type;
    }

    private void readInterface(int block, int bodyEnd) {
        require(bodyEnd - block >= 16, block, "interface description too short");
        int id = interfaces;
        if (id == linkTypes.length) {
            linkTypes = Arrays.copyOf(linkTypes, id * 2);
            snapLengths = Arrays.copyOf(snapLengths, id * 2);
            resolutions = Arrays.copyOf(resolutions, id * 2);
            offsetSeconds = Arrays.copyOf(offsetSeconds, id * 2);
            names = Arrays.copyOf(names, id * 2);
        }
        linkTypes[id] = file.getShort(block + 8) & 0xFFFF;
        snapLengths[id] = file.getInt(block + 12) & 0xFFFF_FFFFL;
        resolutions[id] = DEFAULT_RESOLUTION;
        offsetSeconds[id] = 0;
        names[id] = "";
        readOptions(block + 16, bodyEnd, id);
        interfaces++;
    }

    private void readOptions(int from, int bodyEnd, int id) {
        for (int option = from; isOption(option, bodyEnd); option = optionEnd(option)) {
            int code = optionCode(option);
            int size = optionSize(option);
            if (code == Pcapng.OPTION_IF_NAME) {
                names[id] = optionText(option);
            } else if (code == Pcapng.OPTION_IF_TSRESOL) {
                require(size == 1, option, "bad if_tsresol");
                resolutions[id] = file.get(option + 4);
            } else if (code == Pcapng.OPTION_IF_TSOFFSET) {
                require(size == 8, option, "bad if_tsoffset");
                offsetSeconds[id] = file.getLong(option + 4);
            }
        }
    }

    /** Whether there is an option at an offset, not the end of options; it lies within its block. */
    private boolean isOption(int option, int bodyEnd) {
        boolean is = bodyEnd - option >= 4 && optionCode(option) != Pcapng.OPTION_END;
        require(!is || optionEnd(option) <= bodyEnd, option, "option longer than its block");
        return is;
    }

    private int optionCode(int option) {
        return file.getShort(option) & 0xFFFF;
    }

    private int optionSize(int option) {
        return file.getShort(option + 2) & 0xFFFF;
    }

    private int optionEnd(int option) {
        return option + 4 + Pcapng.padded(optionSize(option));
    }

    private String optionText(int option) {
        byte[] text = new byte[optionSize(option)];
        file.get(option + 4, text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private void readEnhancedPacket(int block, int bodyEnd) {
        require(bodyEnd - block >= 28, block, "packet block too short");
        int id = file.getInt(block + 8);
        require(id >= 0 && id < interfaces, block, "packet of an unknown interface");
        int captured = file.getInt(block + 20);
        require(captured >= 0 && captured <= bodyEnd - block - 28, block, "packet longer than its block");
        interfaceId = id;
        long units = (file.getInt(block + 12) & 0xFFFF_FFFFL) << 32 | file.getInt(block + 16) & 0xFFFF_FFFFL;
        timestampNs = toNs(units, resolutions[id]) + offsetSeconds[id] * NS_PER_SECOND;
        offset = block + 28;
        length = captured;
        originalLength = file.getInt(block + 24) & 0xFFFF_FFFFL;
        optionsAt = offset + Pcapng.padded(captured);
        optionsEnd = bodyEnd;
    }

    private void readSimplePacket(int block, int bodyEnd) {
        require(bodyEnd - block >= 12, block, "packet block too short");
        require(interfaces > 0, block, "packet of an unknown interface");
        long original = file.getInt(block + 8) & 0xFFFF_FFFFL;
        long captured = snapLengths[0] == 0 ? original : Math.min(original, snapLengths[0]);
        require(captured <= bodyEnd - block - 12, block, "packet longer than its block");
        interfaceId = 0;
        timestampNs = 0;
        offset = block + 12;
        length = (int) captured;
        originalLength = original;
        optionsAt = bodyEnd;
        optionsEnd = bodyEnd;
    }

    /** Timestamp units to nanoseconds; {@code resolution} is if_tsresol: 10^−n, or 2^−n with the top bit set. */
    private static long toNs(long units, int resolution) {
        int exponent = resolution & 0x7F;
        if ((resolution & 0x80) != 0) {
            return scaleBinary(units, exponent);
        }
        if (exponent > 9) {
            return exponent - 9 > 19 ? 0 : Long.divideUnsigned(units, power10(exponent - 9));
        }
        return units * power10(9 - exponent);
    }

    /** units · 10^9 / 2^exponent, with a 128-bit product. */
    private static long scaleBinary(long units, int exponent) {
        long high = Math.unsignedMultiplyHigh(units, NS_PER_SECOND);
        long low = units * NS_PER_SECOND;
        if (exponent == 0) {
            return low;
        }
        return exponent < 64 ? high << 64 - exponent | low >>> exponent : high >>> exponent - 64;
    }

    /** 10^n as u64, n = 0..19. */
    private static long power10(int n) {
        long power = 1;
        for (int i = 0; i < n; i++) {
            power *= 10;
        }
        return power;
    }

    private static void require(boolean condition, int at, String what) {
        if (!condition) {
            throw new MalformedCaptureException(at, what);
        }
    }
}
