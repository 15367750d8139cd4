// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class LinkTypesTest {
    private static final ConfiguredLink PLAIN = new ConfiguredLink("a", "alpha", "lo", Map.of());

    @Test
    void shouldListTypesInTheirOrderWhateverOrderTheServicesHave() {
        assertEquals(List.of("alpha", "beta"), LinkTypes.names());
        assertEquals("Beta", LinkTypes.find("beta").protocol());
        assertNull(LinkTypes.find("gamma"));
    }

    @Test
    void shouldListSharedOptionsOnceAndKeepTheOrderOfEveryType() {
        assertEquals(List.of(AlphaLinkType.LOSS, BetaLinkType.START, LinkOption.MEMLOCK, AlphaLinkType.COLOUR, AlphaLinkType.OWNER),
            LinkTypes.options());
    }

    @Test
    void shouldFindTheTypesOfAnOption() {
        assertEquals(List.of("alpha", "beta"), LinkTypes.having(LinkOption.MEMLOCK).stream().map(LinkType::name).toList());
        assertEquals(List.of("beta"), LinkTypes.having(BetaLinkType.START).stream().map(LinkType::name).toList());
        assertSame(BetaLinkType.START, LinkTypes.find("beta").option("start"));
        assertNull(LinkTypes.find("beta").option("loss"));
    }

    @Test
    void shouldReadAndRemoveOptionsOfALink() {
        assertEquals(0, PLAIN.get(AlphaLinkType.LOSS));
        assertNull(PLAIN.get(AlphaLinkType.OWNER));
        ConfiguredLink lossy = PLAIN.with(AlphaLinkType.LOSS, 7).with(AlphaLinkType.OWNER, "me");
        assertEquals(7, lossy.get(AlphaLinkType.LOSS));
        assertEquals("me", lossy.get(AlphaLinkType.OWNER));
        assertEquals(Map.of("owner", "me"), lossy.with(AlphaLinkType.LOSS, 0).options());
        assertEquals(Map.of("loss", "7"), lossy.with(AlphaLinkType.OWNER, null).options());
    }

    @Test
    void shouldShowWhatDiffersFromTheUsualUnlessAnotherCommandKeepsIt() {
        ConfiguredLink owned = PLAIN.with(AlphaLinkType.LOSS, 7).with(AlphaLinkType.OWNER, "me");
        assertEquals("7", AlphaLinkType.LOSS.shown(owned));
        assertNull(AlphaLinkType.LOSS.shown(PLAIN));
        assertNull(AlphaLinkType.OWNER.shown(owned));
    }

    @Test
    void shouldReadTheLimitOfMemory() {
        assertTrue(LinkOption.MEMLOCK.parse("ulimit"));
        assertFalse(LinkOption.MEMLOCK.parse("none"));
        assertEquals("ulimit", LinkOption.MEMLOCK.format(true));
        assertEquals("none", LinkOption.MEMLOCK.format(false));
        VerbsException refused = assertThrows(VerbsException.class, () -> LinkOption.MEMLOCK.parse("64"));
        assertEquals(Errno.EINVAL, refused.errno());
        assertTrue(refused.getMessage().contains("none or ulimit, got '64'"), refused.getMessage());
    }
}
