// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.link.sim.SimulatedLink;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.reason.Reason;

/** The port follows its network interface, whose state the test sets. IBA vol 1 §11.6.3.3; physical states as in the C API. */
class PortEventsTest {
    private static final int POLLING = 2;
    private static final int DISABLED = 3;
    private static final int LINK_UP = 5;
    private static final long SECOND = SimulatedPair.SECOND;

    private final SimulatedPair pair = new SimulatedPair(1, new SimulatedPair.Setup());
    private final RunningRxe port = ((RxeContext) pair.a.context).running();
    private final SendRequest wr = new SendRequest();
    private final MemoryRegion region = pair.a.memory(64, AccessFlags.LOCAL_WRITE);

    /** The daemon lists devices long before a program opens them. */
    @Test
    void shouldOpenOnAnInterfaceThatWasDownWhenTheDeviceWasListed() {
        NetDevice loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow();
        try (Context context = new RxeDevice("late", loopback.gone(), RxeOptions.DEFAULT).open()) {
            assertEquals(PortState.ACTIVE, context.queryPort(1).state());
        }
    }

    private static NetDevice netdev(boolean up, boolean running, String... addresses) {
        return netdev(9000, up, running, addresses);
    }

    private static NetDevice netdev(int mtu, boolean up, boolean running, String... addresses) {
        List<InetAddress> held = Arrays.stream(addresses).map(PortEventsTest::address).toList();
        return new NetDevice("sim0", 1, 0x020000000001L, mtu, up, running, false, held);
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (java.net.UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static NetDevice active(String... addresses) {
        return netdev(true, true, addresses);
    }

    private static Gid gid(String text) {
        return Gid.of(address(text));
    }

    private List<String> events() {
        List<String> all = new java.util.ArrayList<>();
        for (AsyncEvent event = pair.a.context.getAsyncEvent(0); event != null; event = pair.a.context.getAsyncEvent(0)) {
            all.add(event.type() + " port " + event.port());
            event.ack();
        }
        return all;
    }

    /** Index and GID of all entries but the first, the link-local one. */
    private List<String> gids() {
        return pair.a.context.queryGidTable().stream().skip(1).map(entry -> entry.index() + " " + entry.gid()).toList();
    }

    private void expectPort(PortState state, int physicalState) {
        PortAttributes attributes = pair.a.context.queryPort(1);
        assertEquals(state, attributes.state());
        assertEquals(physicalState, attributes.physState());
    }

    @Test
    void shouldTellOfEveryChangeOnce() {
        events();
        port.portIs(active("10.0.0.1"));
        assertEquals(List.of(), events(), "nothing has changed");

        port.portIs(netdev(true, false, "10.0.0.1"));
        port.portIs(netdev(true, false, "10.0.0.1"));
        assertEquals(List.of("PORT_ERR port 1"), events());
        expectPort(PortState.DOWN, POLLING);
        port.portIs(netdev(false, false, "10.0.0.1"));
        assertEquals(List.of(), events(), "it was down before");
        expectPort(PortState.DOWN, DISABLED);

        port.portIs(active("10.0.0.1"));
        port.portIs(active("10.0.0.1"));
        assertEquals(List.of("PORT_ACTIVE port 1"), events());
        expectPort(PortState.ACTIVE, LINK_UP);
        assertEquals(1, pair.a.counter("link_downed"));
    }

    @Test
    void shouldTellAllContextsOfTheDevice() {
        try (Context second = pair.a.context.device().open()) {
            port.portIs(netdev(false, false, "10.0.0.1"));
            assertEquals(AsyncEventType.PORT_ERR, second.getAsyncEvent(0).type());
            assertEquals(List.of("PORT_ERR port 1"), events());
        }
    }

    @Test
    void shouldTakeTheRemovedInterfaceForOneThatIsDown() {
        port.portIs(null);
        assertEquals(List.of("PORT_ERR port 1", "GID_CHANGE port 1"), events());
        expectPort(PortState.DOWN, DISABLED);
        assertEquals(List.of(), gids());
        port.portIs(active("10.0.0.1"));
        assertEquals(List.of("PORT_ACTIVE port 1", "GID_CHANGE port 1"), events());
        assertEquals(List.of("1 " + gid("10.0.0.1")), gids());
    }

    /** Programs keep indexes: those of remaining addresses must not change. */
    @Test
    void shouldKeepTheIndicesOfAddressesThatStay() {
        port.portIs(active("10.0.0.1", "10.0.0.7", "fd00::7"));
        assertEquals(List.of("GID_CHANGE port 1"), events());
        assertEquals(List.of("1 " + gid("10.0.0.1"), "2 " + gid("10.0.0.7"), "3 " + gid("fd00::7")), gids());

        port.portIs(active("10.0.0.1", "fd00::7"));
        assertEquals(List.of("GID_CHANGE port 1"), events());
        assertEquals(List.of("1 " + gid("10.0.0.1"), "3 " + gid("fd00::7")), gids());
        assertEquals(Gid.ZERO, pair.a.context.queryGid(1, 2));
        assertEquals(Errno.ENODATA, assertThrows(VerbsException.class, () -> pair.a.context.queryGidEntry(1, 2)).errno());

        port.portIs(active("10.0.0.9", "10.0.0.1", "10.0.0.8", "fd00::7"));
        assertEquals(List.of("GID_CHANGE port 1"), events());
        assertEquals(List.of("1 " + gid("10.0.0.1"), "2 " + gid("10.0.0.9"), "3 " + gid("fd00::7"), "4 " + gid("10.0.0.8")), gids());
    }

    @Test
    void shouldConnectFromAnAddressThatCameLater() {
        port.portIs(active("10.0.0.1", "10.0.0.7"));
        QueuePair qp = pair.a.newQp(pair.a.pd);
        QueuePair peer = pair.b.newQp(pair.b.pd);
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        qp.modify(SimulatedPair.init(setup, setup.accessA));
        qp.modify(SimulatedPair.rtr(pair.b.gid, peer.qpNum(), setup, 5).addressVector(AddressVector.to(pair.b.gid, 2)));
        qp.modify(SimulatedPair.rts(setup, 5));
        SimulatedPair.connect(peer, gid("10.0.0.7"), qp.qpNum(), setup, setup.accessB, 5, 5);
        qp.postSend(wr.write(0, 0).element(region, 0, 0).signaled());
        pair.runUntil(() -> pair.a.sends().size() == 1);
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());

        port.portIs(active("10.0.0.1"));
        qp.modify(new QpAttributes().state(QpState.RESET));
        qp.modify(SimulatedPair.init(setup, setup.accessA));
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> qp.modify(
            SimulatedPair.rtr(pair.b.gid, peer.qpNum(), setup, 5).addressVector(AddressVector.to(pair.b.gid, 2)))).errno());
    }

    /** As with the kernel, a connection whose port goes down is not broken: its packets are lost and sent again. */
    @Test
    void shouldGoOnWhenThePortIsBack() {
        port.portIs(netdev(false, false));
        pair.a.qp.postSend(wr.write(0, 0).element(region, 0, 0).signaled());
        pair.simulation.runFor(SECOND / 4);
        assertEquals(List.of(), pair.a.sends(), "answers find nobody at the address");
        assertEquals(QpState.RTS, pair.a.qp.state());
        port.portIs(active("10.0.0.1"));
        pair.runUntil(() -> pair.a.sends().size() == 1);
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
    }

    /** An address that cannot be used because another device has it is not a GID; the next refresh tries again. */
    @Test
    void shouldLeaveOutAddressesThatCannotBeUsed() {
        Gid taken = gid("10.0.0.7");
        SimulatedLink other = pair.fabric.attach(taken);
        port.portIs(active("10.0.0.1", "10.0.0.7"));
        assertEquals(List.of(), events());
        other.close();
        port.portIs(active("10.0.0.1", "10.0.0.7"));
        assertEquals(List.of("GID_CHANGE port 1"), events());
        assertEquals(List.of(pair.a.gid, taken), pair.a.context.queryGidTable().stream().skip(1).map(GidEntry::gid).toList());
    }

    @Test
    void shouldTellOnceThatTheLinkIsDead() {
        port.link().close();
        port.portIs(active("10.0.0.1"));
        port.portIs(active("10.0.0.1"));
        assertEquals(List.of("DEVICE_FATAL port 0"), events());
    }

    @Test
    void shouldAnnounceTheEventsInItsCapabilities() {
        int portActiveEvent = 1 << 10;
        assertEquals(portActiveEvent, pair.a.context.queryDevice().deviceCapFlags() & portActiveEvent);
    }

    /**
     * The interface's MTU shrinks below the connection's path MTU, and full packets are lost: the completion that reports it has EMSGSIZE,
     * 90, as its vendor error, and the log the figures. A request of one short packet fits as ever: it was not answered.
     */
    @ParameterizedTest
    @CsvSource({"1025,1500,PATH_MTU_TOO_LARGE", "1025,1119,PATH_MTU_TOO_LARGE", "1025,9000,NO_ANSWER", "500,1500,NO_ANSWER",
        "600,700,PATH_MTU_TOO_LARGE", "1024,1500,NO_ANSWER"})
    void shouldReportThatThePathMtuNoLongerFitsTheInterface(int length, int mtu, Reason reason) {
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        setup.mtu = length > 1024 ? Mtu.MTU_2048 : Mtu.MTU_1024;
        SimulatedPair mine = new SimulatedPair(1, setup);
        MemoryRegion from = mine.a.memory(4096, AccessFlags.LOCAL_WRITE);
        MemoryRegion to = mine.b.memory(4096, SimulatedPair.ALL_REMOTE);
        ((RxeContext) mine.a.context).running().portIs(netdev(mtu, true, true, "10.0.0.1"));
        Rxe.setFaults(mine.b.context, LinkFaults.parse("drop=1,dir=both"));
        List<String> logged;
        try (LogLines lines = new LogLines(RunningRxe.class)) {
            mine.a.qp.postSend(wr.write(to.address(), to.rkey()).element(from, 0, length).signaled());
            mine.a.qp.postSend(wr.write(to.address(), to.rkey()).element(from, 0, length).signaled());
            mine.runUntil(() -> mine.a.sends().size() == 2);
            logged = lines.messages;
        }
        assertEquals(List.of(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR), mine.a.sendStatuses());
        assertEquals(List.of(reason.code(), Reason.FLUSHED.code()), mine.a.sends().stream().map(WorkCompletion::vendorError).toList());
        boolean tooLarge = reason == Reason.PATH_MTU_TOO_LARGE;
        assertEquals(tooLarge ? 1 : 0, logged.size(), logged::toString);
        if (tooLarge) {
            String line = logged.getFirst();
            assertTrue(line.contains("path MTU of " + setup.mtu.bytes() + " bytes no longer fits"), line);
            assertTrue(line.contains("whose MTU is " + mtu + " now"), line);
        }
    }

    /** Collects the messages that a class logs, instead of showing them. */
    private static final class LogLines extends Handler implements AutoCloseable {
        private final Logger logger;
        private final List<String> messages = new ArrayList<>();

        LogLines(Class<?> of) {
            logger = Logger.getLogger(of.getName());
            logger.addHandler(this);
            logger.setUseParentHandlers(false);
        }

        @Override
        public void publish(LogRecord line) {
            messages.add(line.getMessage());
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
            logger.removeHandler(this);
            logger.setUseParentHandlers(true);
        }
    }
}
