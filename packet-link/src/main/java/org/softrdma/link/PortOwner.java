// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.softrdma.host.inspect.ProgramName;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.Udp;

/** Finds the process that has a UDP port, from the readable part of Linux's /proc. Only for error messages. */
final class PortOwner {
    private static final Path PROC = Path.of("/proc");
    private static final int LOCAL_ADDRESS_COLUMN = 1;
    private static final int INODE_COLUMN = 9;

    private PortOwner() {
    }

    /**
     * Describes the owner of a port; never fails.
     *
     * @return the rest of a sentence, from its separator on
     */
    static String describe(Gid address, int port) {
        List<String> inodes = new ArrayList<>();
        collectInodes(PROC.resolve("net/udp"), address, port, inodes);
        collectInodes(PROC.resolve("net/udp6"), address, port, inodes);
        if (inodes.isEmpty()) {
            return ". Stop the other user of this port, or use another address";
        }
        String process = processWithSocket(inodes);
        if (process != null) {
            return " by " + process
                + ". Only one process (and one device) can have an address: stop it, or give this device another address";
        }
        if (port == Udp.DEST_PORT_ROCE && Files.isDirectory(Path.of("/sys/module/rdma_rxe"))) {
            return " by the kernel: the rdma_rxe module is loaded and takes it in the initial network namespace."
                + " Unload it (rmmod rdma_rxe) or run in another network namespace (ip netns exec)";
        }
        return " by a socket whose process is not visible from here: another user's process, another container's, or the kernel"
            + " (module rdma_rxe). As root, ss -ulnp shows it";
    }

    private static void collectInodes(Path table, Gid address, int port, List<String> inodes) {
        List<String> lines;
        try {
            lines = Files.readAllLines(table, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return;
        }
        String wanted = HexFormat.of().withUpperCase().toHexDigits((short) port);
        for (String line : lines) {
            String[] columns = line.trim().split("\\s+");
            if (columns.length <= INODE_COLUMN) {
                continue;
            }
            String local = columns[LOCAL_ADDRESS_COLUMN];
            int colon = local.indexOf(':');
            if (colon > 0 && local.substring(colon + 1).equals(wanted) && conflicts(local.substring(0, colon), address)) {
                inodes.add(columns[INODE_COLUMN]);
            }
        }
    }

    /**
     * Whether a bound address excludes another bind.
     *
     * @param words 32-bit words in hexadecimal, each in host byte order
     */
    private static boolean conflicts(String words, Gid address) {
        Gid bound;
        try {
            bound = words.length() == 8
                ? Gid.ofIpv4(word(words, 0))
                : new Gid((long) word(words, 0) << 32 | Integer.toUnsignedLong(word(words, 8)),
                    (long) word(words, 16) << 32 | Integer.toUnsignedLong(word(words, 24)));
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            return false;
        }
        boolean wildcard = bound.isZero() || bound.isIpv4Mapped() && bound.ipv4() == 0;
        return wildcard || bound.equals(address);
    }

    private static int word(String words, int at) {
        int value = Integer.parseUnsignedInt(words.substring(at, at + 8), 16);
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
    }

    private static String processWithSocket(List<String> inodes) {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (holdsSocket(process.resolve("fd"), inodes)) {
                    return "process " + process.getFileName() + commandOf(process);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return null;
        }
        return null;
    }

    private static boolean holdsSocket(Path descriptors, List<String> inodes) {
        if (!Files.isDirectory(descriptors, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (DirectoryStream<Path> open = Files.newDirectoryStream(descriptors)) {
            for (Path descriptor : open) {
                String target = targetOf(descriptor);
                if (target.startsWith("socket:[") && inodes.contains(target.substring(8, target.length() - 1))) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return false;
        }
        return false;
    }

    private static String targetOf(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static String commandOf(Path process) {
        try {
            String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            String name = command.isEmpty() ? "" : ProgramName.of(List.of(command.split("\0")));
            return name.isEmpty() ? "" : " (" + name + ')';
        } catch (IOException e) {
            return "";
        }
    }
}
