// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which device's address a connection comes from. */
class AddressedSourcesTest {
    private static final AddressedDevice FIRST = device("10.9.0.", "10.9.0.1");
    private static final AddressedDevice SECOND = device("10.9.0.", "10.9.0.2");
    private static final AddressedDevice OTHER = device("10.8.", "10.8.0.1");

    /** A device whose subnet is all addresses that begin so. */
    private static AddressedDevice device(String subnet, String address) {
        return (AddressedDevice) Proxy.newProxyInstance(AddressedSourcesTest.class.getClassLoader(), new Class<?>[] {AddressedDevice.class},
            (self, method, arguments) -> switch (method.getName()) {
                case "addresses" -> List.of(TestHost.ip(address));
                case "sourceFor" -> ((InetAddress) arguments[0]).getHostAddress().startsWith(subnet) ? TestHost.ip(address) : null;
                default -> throw new AssertionError(method);
            });
    }

    private static InetAddress source(String to) {
        return AddressedSources.sourceFor(TestHost.ip(to), List.of(FIRST, SECOND, OTHER));
    }

    @Test
    void shouldTakeTheFirstDeviceInTheSubnet() {
        assertEquals(TestHost.ip("10.9.0.1"), source("10.9.0.77"));
        assertEquals(TestHost.ip("10.8.0.1"), source("10.8.3.4"));
        assertNull(source("192.0.2.1"));
    }

    /** On one host, another process has the device of the destination. */
    @Test
    void shouldNotTakeTheDestinationsDeviceIfThereIsAnother() {
        assertEquals(TestHost.ip("10.9.0.2"), source("10.9.0.1"));
        assertEquals(TestHost.ip("10.9.0.1"), source("10.9.0.2"));
        assertEquals(TestHost.ip("10.8.0.1"), source("10.8.0.1"));
    }
}
