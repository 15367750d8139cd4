// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import java.util.HexFormat;

/**
 * Global identifiers: 128 bits as two longs, high half first. A GID is an IPv6 address, or an IPv4 one in its mapped form
 * {@code ::ffff:a.b.c.d}; RoCE v2 sends the latter over IPv4. Source: IBA vol 1 §4.1.1, annex A17; RFC 4291.
 */
public final class Gids {
    /** High half of every IPv4-mapped GID. */
    public static final long IPV4_MAPPED_HIGH = 0L;
    /** High half of a port's default GID, fe80::/64. */
    public static final long LINK_LOCAL_HIGH = 0xFE80_0000_0000_0000L;

    private static final long MAPPED_PREFIX = 0xFFFF_0000_0000L;
    private static final int GROUPS = 8;
    private static final HexFormat HEX = HexFormat.of();

    private Gids() {
    }

    /**
     * {@return whether the GID is {@code ::ffff:a.b.c.d}, so its network is IPv4}
     *
     * @param high first 64 bits of the GID
     * @param low last 64 bits of the GID
     */
    public static boolean isIpv4Mapped(long high, long low) {
        return high == IPV4_MAPPED_HIGH && low >>> 32 == 0xFFFF;
    }

    /**
     * {@return whether the GID is in fe80::/10}
     *
     * @param high first 64 bits of the GID
     */
    public static boolean isLinkLocal(long high) {
        return high >>> 54 == 0xFE80 >>> 6;
    }

    /**
     * {@return whether packets to this GID go to a group: ff00::/8, or mapped 224.0.0.0/4}
     *
     * @param high first 64 bits of the GID
     * @param low last 64 bits of the GID
     */
    public static boolean isMulticast(long high, long low) {
        return high >>> 56 == 0xFF || isIpv4Mapped(high, low) && (low >>> 28 & 0xF) == 0xE;
    }

    /**
     * {@return IPv4 address in the low half of a mapped GID, raw 32 bits}
     *
     * @param low last 64 bits of the GID
     */
    public static int ipv4(long low) {
        return (int) low;
    }

    /**
     * {@return low half of the GID of an IPv4 address; the high half is {@link #IPV4_MAPPED_HIGH}}
     *
     * @param ip IPv4 address, raw 32 bits
     */
    public static long lowFromIpv4(int ip) {
        return MAPPED_PREFIX | ip & 0xFFFF_FFFFL;
    }

    /**
     * {@return low half of the default GID of a MAC address, its modified EUI-64 (RFC 4291 appendix A); the high half is {@link
     * #LINK_LOCAL_HIGH}}
     *
     * @param mac u48
     */
    public static long lowFromMac(long mac) {
        return ((mac >>> 24 & 0xFF_FFFF) << 40 | 0xFF_FE00_0000L | mac & 0xFF_FFFF) ^ 0x0200_0000_0000_0000L;
    }

    /**
     * {@return node, system image and port GUID rxe derives from a MAC address: the same EUI-64}
     *
     * @param mac u48
     */
    public static long nodeGuid(long mac) {
        return lowFromMac(mac);
    }

    /**
     * {@return canonical text of RFC 5952, such as {@code fe80::1} or {@code ::ffff:192.0.2.1}}
     *
     * @param high first 64 bits of the GID
     * @param low last 64 bits of the GID
     */
    public static String format(long high, long low) {
        if (isIpv4Mapped(high, low)) {
            return "::ffff:" + formatIpv4((int) low);
        }
        int start = 0;
        int length = 1; // §4.2.2: a single zero group is not shortened
        for (int i = 0; i < GROUPS; i++) {
            int run = 0;
            while (i + run < GROUPS && group(high, low, i + run) == 0) {
                run++;
            }
            if (run > length) { // §4.2.3: the first of equal runs
                start = i;
                length = run;
            }
            i += run;
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < GROUPS; i++) {
            if (length > 1 && i == start) {
                text.append("::");
                i += length - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(high, low, i)));
            }
        }
        return text.toString();
    }

    /**
     * {@return all eight groups with four digits each, as sysfs prints GIDs: {@code fe80:0000:0000:0000:5054:00ff:fe12:3456}}
     *
     * @param high first 64 bits of the GID
     * @param low last 64 bits of the GID
     */
    public static String formatFull(long high, long low) {
        return formatGuid(high) + ":" + formatGuid(low);
    }

    /**
     * {@return four groups with four digits each, as sysfs prints GUIDs: {@code 5054:00ff:fe12:3456}}
     *
     * @param guid GUID, raw 64 bits
     */
    public static String formatGuid(long guid) {
        String hex = HEX.toHexDigits(guid);
        return hex.substring(0, 4) + ":" + hex.substring(4, 8) + ":" + hex.substring(8, 12) + ":" + hex.substring(12);
    }

    /**
     * {@return 32 lower-case hexadecimal digits, as the ibv pingpong tools exchange GIDs}
     *
     * @param high first 64 bits of the GID
     * @param low last 64 bits of the GID
     */
    public static String formatWire(long high, long low) {
        return HEX.toHexDigits(high) + HEX.toHexDigits(low);
    }

    /**
     * Reads IPv6 text (RFC 4291 §2.2: any case, {@code ::}, an IPv4 tail) or a bare IPv4 address, which becomes its mapped GID.
     *
     * @param text the text to read
     * @return high and low half
     * @throws IllegalArgumentException naming the text, if it is neither; zone identifiers are refused
     */
    public static long[] parse(String text) {
        long[] gid = text.indexOf(':') < 0 ? new long[] {IPV4_MAPPED_HIGH, lowFromIpv4(parseIpv4(text))} : parseIpv6(text);
        return gid;
    }

    /**
     * Reads 32 hexadecimal digits of any case.
     *
     * @param text the text to read
     * @return high and low half
     * @throws IllegalArgumentException naming the text, if it is anything else
     */
    public static long[] parseWire(String text) {
        if (text.length() != 32) {
            throw new IllegalArgumentException("not 32 hexadecimal digits: " + text);
        }
        for (int i = 0; i < 32; i++) {
            if (!HexFormat.isHexDigit(text.charAt(i))) {
                throw new IllegalArgumentException("not 32 hexadecimal digits: " + text);
            }
        }
        return new long[] {HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32)};
    }

    /**
     * {@return dotted decimal of an IPv4 address}
     *
     * @param ip IPv4 address, raw 32 bits
     */
    public static String formatIpv4(int ip) {
        return (ip >>> 24) + "." + (ip >>> 16 & 0xFF) + "." + (ip >>> 8 & 0xFF) + "." + (ip & 0xFF);
    }

    /**
     * Reads dotted decimal, exactly four numbers 0..255 without leading zeros.
     *
     * @param text the text to read
     * @return the address, raw 32 bits
     * @throws IllegalArgumentException naming the text, if it is anything else
     */
    public static int parseIpv4(String text) {
        String[] parts = text.split("\\.", -1);
        int ip = 0;
        for (String part : parts) {
            ip = ip << 8 | parseOctet(part, text);
        }
        if (parts.length != 4) {
            throw new IllegalArgumentException("not an IPv4 address: " + text);
        }
        return ip;
    }

    private static int parseOctet(String part, String text) {
        boolean plausible = !part.isEmpty() && part.length() <= 3 && (part.length() == 1 || part.charAt(0) != '0');
        int value = 0;
        for (int i = 0; plausible && i < part.length(); i++) {
            char c = part.charAt(i);
            plausible = c >= '0' && c <= '9';
            value = value * 10 + c - '0';
        }
        if (!plausible || value > 255) {
            throw new IllegalArgumentException("not an IPv4 address: " + text);
        }
        return value;
    }

    private static long[] parseIpv6(String text) {
        int gap = text.indexOf("::");
        int[] head = new int[GROUPS];
        int[] tail = new int[GROUPS];
        int headCount = parseGroups(gap < 0 ? text : text.substring(0, gap), head, gap < 0, text);
        int tailCount = gap < 0 ? 0 : parseGroups(text.substring(gap + 2), tail, true, text);
        int count = headCount + tailCount;
        if (gap < 0 ? count != GROUPS : count >= GROUPS) {
            throw new IllegalArgumentException("not an IPv6 address: " + text);
        }
        System.arraycopy(tail, 0, head, GROUPS - tailCount, tailCount);
        long high = 0;
        long low = 0;
        for (int i = 0; i < 4; i++) {
            high = high << 16 | head[i];
            low = low << 16 | head[i + 4];
        }
        return new long[] {high, low};
    }

    /** Reads colon-separated groups, the last of which may be an IPv4 address; returns how many 16-bit groups they make. */
    private static int parseGroups(String part, int[] groups, boolean ipv4Allowed, String text) {
        if (part.isEmpty()) {
            return 0;
        }
        String[] words = part.split(":", -1);
        int count = 0;
        for (int i = 0; i < words.length; i++) {
            boolean ipv4 = ipv4Allowed && i == words.length - 1 && words[i].indexOf('.') >= 0;
            if (count + (ipv4 ? 2 : 1) > GROUPS) {
                throw new IllegalArgumentException("not an IPv6 address: " + text);
            }
            if (ipv4) {
                int ip = parseIpv4(words[i]);
                groups[count++] = ip >>> 16;
                groups[count++] = ip & 0xFFFF;
            } else {
                groups[count++] = parseGroup(words[i], text);
            }
        }
        return count;
    }

    private static int parseGroup(String word, String text) {
        boolean plausible = !word.isEmpty() && word.length() <= 4;
        for (int i = 0; plausible && i < word.length(); i++) {
            plausible = HexFormat.isHexDigit(word.charAt(i));
        }
        if (!plausible) {
            throw new IllegalArgumentException("not an IPv6 address: " + text);
        }
        return HexFormat.fromHexDigits(word);
    }

    private static int group(long high, long low, int index) {
        return (int) ((index < 4 ? high : low) >>> 48 - 16 * (index & 3)) & 0xFFFF;
    }
}
