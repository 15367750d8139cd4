// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Claims on interfaces that do not exist: only names are taken. */
@EnabledOnOs(OS.LINUX)
class InterfaceClaimTest {
    private static final int INDEX = 0x4000_0000 | (int) ProcessHandle.current().pid();

    private final LinuxSockets calls = new LinuxSockets(Arena.ofAuto());

    private InterfaceClaim claim(int index, String text) {
        return new InterfaceClaim(calls, "eth7", index, text);
    }

    @Test
    void shouldExcludeOthersUntilClosed() {
        InterfaceClaim first = claim(INDEX, "");
        VerbsException refused = assertThrows(VerbsException.class, () -> claim(INDEX, ""));
        assertEquals(Errno.EADDRINUSE, refused.errno());
        assertTrue(refused.getMessage().contains("RoCE v1 on eth7 is taken"), refused.getMessage());
        first.close();
        claim(INDEX, "").close();
    }

    @Test
    void shouldDistinguishInterfacesAndAddresses() {
        List<InterfaceClaim> claims = List.of(claim(INDEX, ""), claim(INDEX, " ::ffff:127.0.0.1"), claim(INDEX, " ::ffff:127.0.0.2"),
            claim(INDEX ^ 1 << 29, ""));
        assertThrows(VerbsException.class, () -> claim(INDEX, " ::ffff:127.0.0.2"));
        claims.forEach(InterfaceClaim::close);
    }
}
