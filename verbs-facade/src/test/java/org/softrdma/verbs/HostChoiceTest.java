// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostChoiceTest {
    @AfterEach
    void forget() {
        System.clearProperty(Verbs.HOST_PROPERTY);
    }

    @ParameterizedTest
    @CsvSource({"daemon, true", "process, false", "'', false"})
    void shouldUseTheDaemonIfItIsNamed(String chosen, boolean usesDaemon) {
        System.setProperty(Verbs.HOST_PROPERTY, chosen);
        assertEquals(usesDaemon, Verbs.usesDaemon());
    }

    /** Taken for the default, a misspelled word would leave its user wondering where the other programs' devices are. */
    @Test
    void shouldRefuseAnotherWord() {
        System.setProperty(Verbs.HOST_PROPERTY, "demon");
        VerbsException refused = assertThrows(VerbsException.class, Verbs::usesDaemon);
        assertEquals(Errno.EINVAL, refused.errno());
        assertEquals("get_device_list: Invalid argument (EINVAL): softrdma.host is daemon or process, not 'demon'", refused.getMessage());
    }
}
