// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

class DeviceChoiceTest {
    private static final List<RdmaDevice> ALL = List.of(new Device("rxe0", Transport.INFINIBAND), new Device("rxe1", Transport.INFINIBAND),
        new Device("siw0", Transport.IWARP), new Device("siw1", Transport.IWARP));

    private record Device(String name, Transport transport) implements RdmaDevice {
        @Override
        public long nodeGuid() {
            return 1;
        }

        @Override
        public NodeType nodeType() {
            return NodeType.CA;
        }

        @Override
        public String netdev() {
            return "lo";
        }

        @Override
        public Context open() {
            throw new UnsupportedOperationException();
        }
    }

    @ParameterizedTest
    @CsvSource({"'', rxe0 rxe1 siw0 siw1", "' ', rxe0 rxe1 siw0 siw1", "iwarp, siw0 siw1", "roce, rxe0 rxe1", "siw1, siw1",
        "'siw1, rxe0', siw1 rxe0", "'siw1,iwarp,roce', siw1 siw0 rxe0 rxe1"})
    void shouldChooseInTheUsersOrder(String text, String expected) {
        assertEquals(Arrays.asList(expected.split(" ")), DeviceChoice.parse(text).of(ALL).stream().map(RdmaDevice::name).toList());
    }

    @Test
    void shouldTakeAllWithoutAChoice() {
        assertEquals(ALL, DeviceChoice.parse(null).of(ALL));
    }

    @Test
    void shouldSayWhatItCannotFind() {
        VerbsException refused = assertThrows(VerbsException.class, () -> DeviceChoice.parse("siw0,siw7").of(ALL));
        assertEquals(Errno.ENODEV, refused.errno());
        assertTrue(refused.getMessage().contains("'siw7'") && refused.getMessage().contains("rxe1"), refused.getMessage());
    }
}
