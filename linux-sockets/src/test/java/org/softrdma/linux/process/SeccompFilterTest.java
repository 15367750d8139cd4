// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.VerbsException;

/**
 * Verdicts of the filter on made-up system calls. The numbers are those of the kernel's headers, not of {@link SystemCall}; devices begin
 * with 900, and the connection manager's are 960 to 1019 and 3000 to 3999.
 */
class SeccompFilterTest {
    private static final int X86_64 = 0xC000003E;
    private static final int AARCH64 = 0xC00000B7;
    private static final int I386 = 0x40000003;
    private static final int X32 = 0x40000000;
    private static final long POINTER = 0x7ffd_0000_1000L;
    private static final List<DescriptorRange> CM = List.of(new DescriptorRange(960, 1020), new DescriptorRange(3000, 4000));
    private static final DescriptorRange NETLINK = new DescriptorRange(890, 900);

    private final BpfMachine x86 = new BpfMachine(new SeccompFilter(Architecture.X86_64, 900, CM, NETLINK));
    private final BpfMachine arm = new BpfMachine(new SeccompFilter(Architecture.AARCH64, 900, CM, NETLINK));

    /** Returns {@code notify} or {@code allow}. */
    private static String verdict(int value) {
        return switch (value & 0xFFFF0000) {
            case 0x7fff0000 -> "allow";
            case 0x7fc00000 -> "notify";
            default -> Integer.toHexString(value);
        };
    }

    private static long argument(String text) {
        return switch (text) {
            case "p" -> POINTER;
            case "cwd" -> 0xFFFFFF9CL;
            default -> Long.decode(text);
        };
    }

    @ParameterizedTest(name = "{0} {3} {4} {5} {6}: {7}")
    @CsvSource({
        // call, number on x86-64 and aarch64 (-1: none), four arguments, verdict
        "open,        2,   -1, p,   0,          0,     0,      notify",
        "openat,      257, 56, cwd, p,          0,     0,      notify",
        "openat,      257, 56, 7,   p,          0,     0,      notify",
        "openat2,     437, 437, cwd, p,         p,     24,     notify",
        "stat,        4,   -1, p,   p,          0,     0,      notify",
        "lstat,       6,   -1, p,   p,          0,     0,      notify",
        "access,      21,  -1, p,   4,          0,     0,      notify",
        "faccessat,   269, 48, cwd, p,          4,     0,      notify",
        "faccessat2,  439, 439, cwd, p,         4,     0x200,  notify",
        "faccessat2,  439, 439, 5,  p,          4,     0x1000, allow",
        "faccessat2,  439, 439, 960, p,         4,     0x1000, notify",
        "newfstatat,  262, 79, cwd, p,          p,     0,      notify",
        "newfstatat,  262, 79, 5,   p,          p,     0x100,  notify",
        "newfstatat,  262, 79, 5,   p,          p,     0x1000, allow",
        "newfstatat,  262, 79, 899, p,          p,     0x1000, allow",
        "newfstatat,  262, 79, 900, p,          p,     0x1000, notify",
        "newfstatat,  262, 79, 1019, p,         p,     0x1100, notify",
        "newfstatat,  262, 79, 1020, p,         p,     0x1000, notify",
        "newfstatat,  262, 79, cwd, p,          p,     0x1000, notify",
        "statx,       332, 291, cwd, p,         0,     0x7ff,  notify",
        "statx,       332, 291, 3,  p,          0x1000, 0x7ff, allow",
        "statx,       332, 291, 905, p,         0x1000, 0x7ff, notify",
        "fstat,       5,   80, 2,   p,          0,     0,      allow",
        "fstat,       5,   80, 899, p,          0,     0,      allow",
        "fstat,       5,   80, 900, p,          0,     0,      notify",
        "fstat,       5,   80, 959, p,          0,     0,      notify",
        "fstat,       5,   80, 960, p,          0,     0,      notify",
        "fstat,       5,   80, 1019, p,         0,     0,      notify",
        "fstat,       5,   80, 1020, p,         0,     0,      notify",
        "fstat,       5,   80, 0x7fffffff, p,   0,     0,      notify",
        "fstat,       5,   80, -1,  p,          0,     0,      allow",
        "readlinkat,  267, 78, cwd, p,          p,     0,      notify",
        "lgetxattr,   192, 9,  p,   p,          p,     0,      notify",
        "llistxattr,  195, 12, p,   p,          p,     0,      notify",
        "ioctl,       16,  29, 900, 0xc0181b01, p,     0,      notify",
        "ioctl,       16,  29, 3,   0xc0181b01, p,     0,      notify",
        "ioctl,       16,  29, 900, 0x5401,     p,     0,      allow",
        "ioctl,       16,  29, 900, 0xc0181b02, p,     0,      allow",
        "ioctl,       16,  29, 960, 0xc01c1b01, p,     0,      notify",
        "ioctl,       16,  29, 1019, 0x5401,    p,     0,      notify",
        "ioctl,       16,  29, 1020, 0xc01c1b01, p,    0,      allow",
        "write,       1,   64, 900, p,          32,    0,      allow",
        "write,       1,   64, 959, p,          32,    0,      allow",
        "write,       1,   64, 960, p,          24,    0,      notify",
        "write,       1,   64, 1019, p,         24,    0,      notify",
        "write,       1,   64, 1020, p,         24,    0,      allow",
        "write,       1,   64, 2999, p,         24,    0,      allow",
        "write,       1,   64, 3000, p,         24,    0,      notify",
        "write,       1,   64, 3999, p,         24,    0,      notify",
        "write,       1,   64, 4000, p,         24,    0,      allow",
        "write,       1,   64, 1,   p,          24,    0,      allow",
        "dup,         32,  23, 3,   0,          0,     0,      allow",
        "dup,         32,  23, 900, 0,          0,     0,      notify",
        "dup2,        33,  -1, 1019, 5,         0,     0,      notify",
        "dup2,        33,  -1, 5,   900,        0,     0,      allow",
        "dup3,        292, 24, 960, 5,          0x80000, 0,    notify",
        "dup3,        292, 24, 5,   6,          0,     0,      allow",
        "fcntl,       72,  25, 900, 0,          0,     0,      notify",
        "fcntl,       72,  25, 900, 1030,       3,     0,      notify",
        "fcntl,       72,  25, 900, 3,          0,     0,      allow",
        "fcntl,       72,  25, 900, 4,          0x800, 0,      allow",
        "fcntl,       72,  25, 5,   1030,       3,     0,      allow",
        "socket,      41,  198, 16, 0x80003,    20,    0,      notify",
        "socket,      41,  198, 16, 0x80003,    0,     0,      allow",
        "socket,      41,  198, 2,  1,          20,    0,      allow",
        "sendmsg,     46,  211, 890, 0x1000,    0,     0,      notify",
        "sendmsg,     46,  211, 900, 0x1000,    0,     0,      allow",
        "sendto,      44,  206, 899, 0x1000,    0,     0,      notify",
        "sendto,      44,  206, 889, 0x1000,    0,     0,      allow",
        "ftruncate,   77,  46, 900, 0,          0,     0,      notify",
        "ftruncate,   77,  46, 5,   0,          0,     0,      allow",
        "fallocate,   285, 47, 5000, 3,         0,     4096,   notify",
        "fallocate,   285, 47, 899, 3,          0,     4096,   allow",
        "fallocate,   285, 47, 5,   0,          0,     4096,   allow",
        "read,        0,   63, 900, p,          8,     0,      allow",
        "read,        0,   63, 959, p,          8,     0,      allow",
        "read,        0,   63, 960, p,          320,   0,      notify",
        "read,        0,   63, 1019, p,         320,   0,      notify",
        "read,        0,   63, 1020, p,         320,   0,      allow",
        "read,        0,   63, 3500, p,         320,   0,      notify",
        "poll,        7,   73, p,   1,          0,     0,      allow",
        "mmap,        9,   222, 0,  4096,       3,     1,      allow",
        "close,       3,   57, 900, 0,          0,     0,      allow",
    })
    void shouldJudge(String name, int x86Number, int armNumber, String first, String second, String third, String fourth, String verdict) {
        long[] arguments = {argument(first), argument(second), argument(third), argument(fourth), 0, 0};
        assertEquals(verdict, verdict(x86.run(x86Number, X86_64, arguments)), name);
        assertEquals("allow", verdict(x86.run(x86Number | X32, X86_64, arguments)), name + " of x32");
        assertEquals("allow", verdict(x86.run(x86Number, I386, arguments)), name + "'s number of i386");
        if (armNumber >= 0) {
            assertEquals(verdict, verdict(arm.run(armNumber, AARCH64, arguments)), name + " of aarch64");
        }
    }

    /** The kernel takes the lower halves of these arguments. */
    @Test
    void shouldJudgeLowerHalvesOnly() {
        assertEquals("notify", verdict(x86.run(5, X86_64, 0xFFFFFFFF_00000384L, POINTER, 0, 0, 0, 0)));
        assertEquals("notify", verdict(x86.run(16, X86_64, 900, 0x1_c0181b01L, POINTER, 0, 0, 0)));
    }

    /** The numbers of open, stat, lstat, access and dup2 on x86-64 mean other calls on aarch64. */
    @ParameterizedTest
    @CsvSource({"2", "4", "6", "21", "33"})
    void shouldLeaveOutCallsThatAarch64DoesNotHave(int number) {
        assertEquals("allow", verdict(arm.run(number, AARCH64, 900, 900, 900, 0x1000, 0, 0)));
        assertNull(Architecture.AARCH64.call(number));
    }

    @Test
    void shouldTranslateNumbersOfNotifications() {
        assertEquals(SystemCall.OPENAT, Architecture.X86_64.call(257));
        assertEquals(SystemCall.IOCTL, Architecture.X86_64.call(16));
        assertEquals(SystemCall.IOCTL, Architecture.AARCH64.call(29));
        assertEquals(SystemCall.READ, Architecture.X86_64.call(0));
        assertNull(Architecture.X86_64.call(-1));
        assertNull(Architecture.X86_64.call(X32 | 257));
    }

    @Test
    void shouldRefuseRangesThatHoldStandardStreams() {
        assertThrows(VerbsException.class, () -> new DescriptorRange(2, 10));
        assertThrows(VerbsException.class, () -> new DescriptorRange(10, 10));
    }
}
