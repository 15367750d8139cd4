// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.VerbsException;

class NetDeviceTest {
    @Test
    void shouldListInterfacesByIndex() {
        List<NetDevice> devices = NetDevice.list();

        for (int i = 1; i < devices.size(); i++) {
            assertTrue(devices.get(i - 1).ifIndex() < devices.get(i).ifIndex(), devices.toString());
        }
        for (NetDevice each : devices) {
            assertEquals(each, NetDevice.find(each.name()));
        }
    }

    @Test
    void shouldKnowTheLoopback() {
        NetDevice loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow();

        assertEquals(0, loopback.mac());
        assertTrue(loopback.up() && loopback.running());
        assertTrue(loopback.mtu() >= 1500);
        assertEquals(InetAddress.ofLiteral("127.0.0.1"), loopback.addresses().getFirst());
    }

    @Test
    void shouldPutIpv4AddressesBeforeIpv6() {
        for (NetDevice device : NetDevice.list()) {
            List<Integer> sizes = device.addresses().stream().map(each -> each.getAddress().length).toList();
            assertEquals(sizes.stream().sorted().toList(), sizes, device.name());
        }
    }

    @Test
    void shouldNotFindWhatIsNotThere() {
        assertNotNull(NetDevice.find(NetDevice.list().getFirst().name()));
        assertNull(NetDevice.find("no-such-netdev0"));
    }

    @Test
    void shouldSayWhatIsMissing() {
        NetDevice usable = new NetDevice("x", 1, 0, 1500, true, true, false, List.of(InetAddress.getLoopbackAddress()));
        usable.requireUsable("rxe0");
        NetDevice bare = device(0);
        VerbsException thrown = assertThrows(VerbsException.class, () -> bare.requireUsable("rxe0"));
        assertEquals("open_device: No such device (ENODEV): rxe0: interface x has no address; give it one (ip addr add)",
            thrown.getMessage());
        NetDevice now = usable.now();
        assertFalse(now.up(), "no interface is called x");
        thrown = assertThrows(VerbsException.class, () -> now.requireUsable("rxe0"));
        assertEquals("open_device: No such device (ENODEV): rxe0: interface x is down; bring it up (ip link set x up)",
            thrown.getMessage());
    }

    /** GUIDs from the guide's transcript and, for the loopback, from kernel rxe on lo. */
    @Test
    void shouldMakeGuidOfMac() {
        assertEquals(0x505400fffed5e0fbL, device(0x525400d5e0fbL).nodeGuid());
        assertEquals(0x020000fffe000000L, device(0).nodeGuid());
    }

    private static NetDevice device(long mac) {
        return new NetDevice("x", 1, mac, 1500, true, true, false, List.of());
    }
}
