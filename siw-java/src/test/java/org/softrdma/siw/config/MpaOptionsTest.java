// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class MpaOptionsTest {
    @Test
    void shouldReadEveryKey() {
        MpaOptions read = MpaOptions.parse("revision=1,crc=required,markers=on,rtr=read,ird=0,ord=128,pause=0s,timeout=60s,halfopen=1024");

        assertEquals(new MpaOptions(1, MpaOptions.Crc.REQUIRED, true, MpaOptions.Rtr.READ, 0, 128, 0, 60_000_000_000L, 1024), read);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "default                               | default",
        "crc=on,revision=2,pause=10ms,ord=128  | default",
        "timeout=500ms,rtr=write,crc=off       | crc=off,rtr=write,timeout=500ms",
        "pause=1s,markers=on,ord=1             | markers=on,ord=1,pause=1s"})
    void shouldSayWhatDiffersFromTheDefault(String text, String said) {
        assertEquals(said, MpaOptions.parse(text).toString());
        assertEquals(MpaOptions.parse(text), MpaOptions.parse(said));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "none", "crc", "crc=", "crc=yes", "crc=on,crc=on", "revision=0", "revision=3", "revision=two", "markers=1",
        "rtr=send", "ird=129", "ird=-1", "ord=129", "ord=99999", "pause=1001ms", "pause=0", "timeout=0s", "timeout=999us", "timeout=61s",
        "halfopen=0", "halfopen=1025",
        "crc=on,", "mtu=1500", "default,crc=on"})
    void shouldRefuseWhatItDoesNotUnderstand(String text) {
        VerbsException refused = assertThrows(VerbsException.class, () -> MpaOptions.parse(text));
        assertEquals(Errno.EINVAL, refused.errno());
        String key = text.replaceAll("[=,].*", "");
        assertTrue(refused.getMessage().contains(key), refused.getMessage());
    }
}
