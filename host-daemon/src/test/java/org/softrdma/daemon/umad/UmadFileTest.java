// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.umad.UmadHeader;
import org.softrdma.abi.umad.UmadIoctl;
import org.softrdma.abi.umad.UmadRegisterAgent;
import org.softrdma.abi.umad.UmadRegisterAgent2;
import org.softrdma.daemon.trap.PlayedCall;
import org.softrdma.rxe.Rxe;
import org.softrdma.verbs.Gid;

/** Programs that exchange management datagrams through one device on the loopback interface. Errors are those of Linux 6.1. */
@Timeout(60)
class UmadFileTest {
    private static final int EIO = -5;
    private static final int EAGAIN = -11;
    private static final int ENOMEM = -12;
    private static final int EFAULT = -14;
    private static final int EINVAL = -22;
    private static final int ENOTTY = -25;
    private static final int EPROTONOSUPPORT = -93;
    private static final int ETIMEDOUT = 110;
    private static final int PACKET_BYTES = UmadHeader.BYTES + MadProgram.MAD_BYTES;
    /** A request that nobody answers comes back after this time. */
    private static final int SOON_MS = 20;
    private static final int LONG_MS = 600_000;

    private UmadDevice device;
    private final List<MadProgram> programs = new ArrayList<>();
    private MadProgram client;
    private MadProgram server;

    @BeforeEach
    void open() {
        device = new UmadDevice(Rxe.device("umad-test", "lo"), 3);
        client = opened();
        server = opened();
    }

    private MadProgram opened() {
        MadProgram program = MadProgram.withPkey(device);
        programs.add(program);
        return program;
    }

    @AfterEach
    void close() {
        programs.forEach(MadProgram::close);
        device.close();
    }

    private long dropped(String counter) {
        return device.counters().get(counter);
    }

    // ---- exchange ----

    @Test
    void shouldCarryARequestAndItsAnswerWithAllBytes() {
        int agent = client.register(false);
        int serving = server.register(true);
        long tid = 0x1234_5678_9abc_def0L;
        MemorySegment ping = client.ping(agent, tid, LONG_MS);
        assertEquals(PACKET_BYTES, client.write(ping));

        MemorySegment request = server.read();
        assertEquals(PACKET_BYTES, request.byteSize());
        assertEquals(serving, UmadHeader.id(request, 0));
        assertEquals(0, UmadHeader.status(request, 0));
        assertEquals(PACKET_BYTES, UmadHeader.length(request, 0));
        assertEquals(1, UmadHeader.qpn(request, 0));
        assertEquals(1, UmadHeader.grhPresent(request, 0));
        assertEquals(client.ownGid().index(), UmadHeader.gidIndex(request, 0));
        assertEquals(client.ownGid().gid().low(), request.get(AbiLayout.BE64, UmadHeader.GID_OFFSET + 8));
        MemorySegment seen = server.mad(request);
        assertEquals((int) tid, (int) seen.get(AbiLayout.BE64, MadProgram.TID));
        assertNotEquals((int) (tid >>> 32), (int) (seen.get(AbiLayout.BE64, MadProgram.TID) >>> 32), "the upper half is the agent's");
        assertEquals(-1, client.mad(ping).asSlice(16).mismatch(seen.asSlice(16)));

        assertEquals(PACKET_BYTES, server.write(server.answer(serving, request)));
        MemorySegment answer = client.read();
        assertEquals(agent, UmadHeader.id(answer, 0));
        assertEquals(0, UmadHeader.status(answer, 0));
        assertEquals(MadProgram.GET_RESPONSE, MadProgram.method(client.mad(answer)));
        assertEquals(-1, seen.asSlice(4).mismatch(client.mad(answer).asSlice(4)));
        assertEquals(EAGAIN, client.readNow(client.allocate(PACKET_BYTES), PACKET_BYTES));
        assertEquals(0, dropped("umad_no_request"));
    }

    @Test
    void shouldSpeakTheHeaderWithoutPartitionKey() {
        MadProgram old = new MadProgram(device);
        programs.add(old);
        old.useOldHeaders();
        int agent = old.register(true);
        assertEquals(EINVAL, old.ioctl(UmadIoctl.ENABLE_PKEY, 0), "too late");
        assertEquals(UmadHeader.OLD_BYTES + MadProgram.MAD_BYTES, old.write(old.ping(agent, 1, LONG_MS)));
        MemorySegment request = old.read();
        assertEquals(UmadHeader.OLD_BYTES + MadProgram.MAD_BYTES, request.byteSize());
        assertEquals(MadProgram.GET, MadProgram.method(old.mad(request)));
        assertEquals(UmadHeader.OLD_BYTES + MadProgram.MAD_BYTES, UmadHeader.length(request, 0));
    }

    @Test
    void shouldGiveBackARequestWithoutAnswer() {
        int agent = client.register(false);
        assertEquals(PACKET_BYTES, client.write(client.ping(agent, 7, SOON_MS)));
        MemorySegment back = client.read();
        assertEquals(UmadHeader.BYTES + 24, back.byteSize());
        assertEquals(ETIMEDOUT, UmadHeader.status(back, 0));
        assertEquals(agent, UmadHeader.id(back, 0));
        assertEquals(SOON_MS, UmadHeader.timeoutMs(back, 0));
        assertEquals(7, (int) client.mad(back).get(AbiLayout.BE64, MadProgram.TID));
        assertEquals(MadProgram.GET, MadProgram.method(client.mad(back)));
    }

    @Test
    void shouldRepeatAsOftenAsTheProgramWants() {
        int agent = client.register(false);
        server.register(true);
        MemorySegment ping = client.ping(agent, 8, SOON_MS);
        UmadHeader.retries(ping, 0, 3);
        client.write(ping);
        assertEquals(ETIMEDOUT, UmadHeader.status(client.read(), 0));
        MemorySegment first = server.read();
        for (int i = 0; i < 3; i++) {
            assertEquals(-1, server.mad(first).mismatch(server.mad(server.read())));
        }
        assertEquals(EAGAIN, server.readNow(server.allocate(PACKET_BYTES), PACKET_BYTES));
    }

    @Test
    void shouldDropAnswersThatNobodyWaitsFor() {
        int agent = client.register(false);
        int serving = server.register(true);
        client.write(client.ping(agent, 9, LONG_MS));
        MemorySegment request = server.read();
        MemorySegment answer = server.answer(serving, request);
        server.write(answer);
        assertEquals(PACKET_BYTES, client.read().byteSize());
        server.write(answer);
        awaitDrop("umad_no_request", 1);
        server.mad(answer).set(AbiLayout.BE64, MadProgram.TID, 0x00ab_cdef_0000_0009L);
        server.write(answer);
        awaitDrop("umad_no_agent", 1);
        assertEquals(EAGAIN, client.readNow(client.allocate(PACKET_BYTES), PACKET_BYTES));
    }

    private void awaitDrop(String counter, long count) {
        long until = System.nanoTime() + 10_000_000_000L;
        while (dropped(counter) < count && System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
        assertEquals(count, dropped(counter), counter);
    }

    // ---- agents ----

    @Test
    void shouldGiveAMethodToOneAgentOnly() {
        assertEquals(0, server.register(true));
        assertEquals(EINVAL, client.tryRegister(client.request(MadProgram.PING_CLASS, 1, MadProgram.PING_OUI, 1L << MadProgram.GET)));
        assertEquals(0, client.tryRegister(client.request(MadProgram.PING_CLASS, 2, MadProgram.PING_OUI, 1L << MadProgram.GET)));
        assertEquals(0, client.tryRegister(client.request(MadProgram.PING_CLASS, 1, 0x123456, 1L << MadProgram.GET)));
        assertEquals(0, client.tryRegister(client.request(MadProgram.PING_CLASS, 1, MadProgram.PING_OUI, 1L << 2)));
        assertEquals(0, server.unregister(0));
        assertEquals(3, client.register(true));
        client.file.closed();
        assertEquals(0, server.register(true), "the file's end frees its methods");
    }

    @Test
    void shouldRefuseAgentsThatCannotExist() {
        assertEquals(EINVAL, client.tryRegister(client.request(MadProgram.PING_CLASS, 1, 0, 0)), "no organisation");
        assertEquals(EINVAL, client.tryRegister(client.request(0x50, 1, 0, 0)));
        assertEquals(EINVAL, client.tryRegister(client.request(0x04, 0x83, 0, 0)));
        assertEquals(EINVAL, client.tryRegister(client.request(0x81, 1, 0, 0)), "queue pair 0");
        assertEquals(EINVAL, client.tryRegister(client.request(0x07, 2, 0, 1L << 3)), "communication management");
        MemorySegment subnet = client.request(0x01, 1, 0, 0);
        UmadRegisterAgent.qpn(subnet, 0, 0);
        assertEquals(EPROTONOSUPPORT, client.tryRegister(subnet));
        UmadRegisterAgent.qpn(subnet, 0, 2);
        assertEquals(EINVAL, client.tryRegister(subnet));
        MemorySegment rmpp = client.request(0x04, 1, 0, 0);
        UmadRegisterAgent.rmppVersion(rmpp, 0, 1);
        assertEquals(EINVAL, client.tryRegister(rmpp), "performance management has no RMPP");
        MemorySegment administration = client.request(0x03, 2, 0, 0);
        UmadRegisterAgent.rmppVersion(administration, 0, 1);
        assertEquals(0, client.tryRegister(administration), "as ibping does");
        UmadRegisterAgent.rmppVersion(administration, 0, 2);
        assertEquals(EINVAL, client.tryRegister(administration));
        assertEquals(EFAULT, client.ioctl(UmadIoctl.REGISTER_AGENT, 0));
        assertEquals(EFAULT, client.ioctl(UmadIoctl.UNREGISTER_AGENT, 0));
        assertEquals(ENOTTY, client.ioctl(0xc0181b01, 0));
        assertEquals(EINVAL, client.unregister(1));
        assertEquals(EINVAL, client.unregister(32));
        assertEquals(EINVAL, client.unregister(-1));
    }

    @Test
    void shouldKnowTheSecondWayToRegister() {
        MadProgram fresh = new MadProgram(device);
        programs.add(fresh);
        MemorySegment unknown = fresh.request2(MadProgram.PING_CLASS, 1, 6);
        assertEquals(EINVAL, fresh.ioctl(UmadIoctl.REGISTER_AGENT2, unknown.address()));
        assertEquals(UmadRegisterAgent2.USER_RMPP, UmadRegisterAgent2.flags(unknown, 0), "the known flags");
        MemorySegment request = fresh.request2(MadProgram.PING_CLASS, 1, UmadRegisterAgent2.USER_RMPP);
        UmadRegisterAgent2.rmppVersion(request, 0, 1);
        assertEquals(0, fresh.ioctl(UmadIoctl.REGISTER_AGENT2, request.address()));
        UmadRegisterAgent2.oui(request, 0, 0x1000000);
        assertEquals(EINVAL, fresh.ioctl(UmadIoctl.REGISTER_AGENT2, request.address()));
        assertEquals(PACKET_BYTES, fresh.write(fresh.ping(0, 1, SOON_MS)), "headers are long ones now");
        assertEquals(ETIMEDOUT, UmadHeader.status(fresh.read(), 0));
    }

    @Test
    void shouldGiveAFileThirtyTwoAgents() {
        for (int i = 0; i < 32; i++) {
            assertEquals(i, client.register(false));
        }
        assertEquals(ENOMEM, client.tryRegister(client.request(MadProgram.PING_CLASS, 1, MadProgram.PING_OUI, 0)));
        assertEquals(0, client.unregister(17));
        assertEquals(17, client.register(false));
    }

    // ---- refusals and bounds ----

    @Test
    void shouldRefuseDatagramsOfWrongSizes() {
        int agent = client.register(false);
        MemorySegment ping = client.ping(agent, 1, LONG_MS);
        for (int bytes = 0; bytes < UmadHeader.BYTES + 40; bytes++) {
            assertEquals(EINVAL, client.write(ping, bytes), bytes + " bytes");
        }
        assertEquals(UmadHeader.BYTES + 40, client.write(ping, UmadHeader.BYTES + 40), "filled up");
        MemorySegment longer = client.allocate(PACKET_BYTES + 1).copyFrom(client.ping(agent, 2, LONG_MS));
        assertEquals(EINVAL, client.write(longer));
        assertEquals(EINVAL, client.write(ping, Long.MIN_VALUE));
        PlayedCall unreadable = client.call(true);
        client.file.write(unreadable, 8, PACKET_BYTES);
        assertEquals(EFAULT, unreadable.await());
    }

    @Test
    void shouldRefuseForeignAgentsAndAddresses() {
        int agent = client.register(false);
        assertEquals(EIO, server.write(server.ping(agent, 1, 0)), "another file's agent");
        assertEquals(EINVAL, client.write(client.ping(32, 1, 0)));
        assertEquals(EINVAL, client.write(client.ping(-1, 1, 0)));
        MemorySegment byLid = client.ping(agent, 2, LONG_MS);
        UmadHeader.grhPresent(byLid, 0, 0);
        UmadHeader.lid(byLid, 0, 1);
        assertEquals(EINVAL, client.write(byLid));
        MemorySegment index = client.ping(agent, 3, LONG_MS);
        UmadHeader.gidIndex(index, 0, 255);
        assertEquals(EINVAL, client.write(index));
        MemorySegment queuePair = client.ping(agent, 4, LONG_MS);
        UmadHeader.qpn(queuePair, 0, 2);
        assertEquals(EINVAL, client.write(queuePair));
        MemorySegment nowhere = client.ping(agent, 5, LONG_MS);
        MadProgram.gid(nowhere, Gid.ZERO);
        assertTrue(client.write(nowhere) < 0);
        assertEquals(PACKET_BYTES, client.write(client.ping(agent, 5, LONG_MS)), "nothing was left of the refused one");
        assertEquals(EINVAL, client.write(client.ping(agent, 5, LONG_MS)), "the same transaction id");
    }

    @Test
    void shouldKeepADatagramThatTheBufferIsTooSmallFor() {
        int agent = client.register(false);
        server.register(true);
        client.write(client.ping(agent, 1, LONG_MS));
        MemorySegment small = server.allocate(PACKET_BYTES);
        assertEquals(EINVAL, server.readNow(small, UmadHeader.BYTES - 1));
        assertEquals(EINVAL, server.beginRead(small, PACKET_BYTES - 1).await());
        PlayedCall unwritable = server.call(true);
        server.file.read(unwritable, 8, PACKET_BYTES);
        assertEquals(EFAULT, unwritable.await());
        assertEquals(PACKET_BYTES, server.readNow(small, PACKET_BYTES));
    }

    @Test
    void shouldDeliverAgainWhatAnInterruptedReadDidNotTake() {
        int agent = client.register(false);
        server.register(true);
        MemorySegment to = server.allocate(PACKET_BYTES);
        PlayedCall interrupted = server.beginRead(to, PACKET_BYTES);
        interrupted.interrupt();
        PlayedCall losing = server.beginRead(to, PACKET_BYTES);
        losing.losesAnswer = true;
        client.write(client.ping(agent, 1, LONG_MS));
        assertTrue(losing.await() < 0);
        assertEquals(PACKET_BYTES, server.read().byteSize());
    }

    @Test
    void shouldBoundRequestsThatWait() {
        int agent = client.register(false);
        for (int i = 0; i < UmadLimits.OUTSTANDING; i++) {
            assertEquals(PACKET_BYTES, write(client.ping(agent, i, i == 0 ? SOON_MS : LONG_MS)));
        }
        assertEquals(ENOMEM, client.write(client.ping(agent, -1, LONG_MS)));
        MemorySegment back = client.allocate(PACKET_BYTES);
        assertEquals(UmadHeader.BYTES + 24, client.beginRead(back, PACKET_BYTES).await());
        assertEquals(PACKET_BYTES, write(client.ping(agent, -1, LONG_MS)), "room again");
        assertEquals(0, client.unregister(agent));
        agent = client.register(false);
        assertEquals(PACKET_BYTES, write(client.ping(agent, 0, LONG_MS)), "requests end with their agent");
    }

    /** The device's queue of datagrams to be sent is short. */
    private long write(MemorySegment packet) {
        long result = client.write(packet);
        while (result == ENOMEM) {
            Thread.onSpinWait();
            result = client.write(packet);
        }
        return result;
    }

    @Test
    void shouldBoundReceivedDatagramsAndCountTheRest() {
        int agent = client.register(false);
        int serving = server.register(true);
        for (int i = 0; i < UmadLimits.RECEIVED + 10; i++) {
            write(client.ping(agent, i, 0));
        }
        awaitFull();
        for (int i = 0; i < UmadLimits.RECEIVED; i++) {
            assertEquals(i, (int) server.mad(server.read()).get(AbiLayout.BE64, MadProgram.TID));
        }
        assertEquals(EAGAIN, server.readNow(server.allocate(PACKET_BYTES), PACKET_BYTES));
        assertEquals(0, server.unregister(serving));
    }

    private void awaitFull() {
        long until = System.nanoTime() + 10_000_000_000L;
        while (full() < 10 && System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
        assertEquals(10, full());
    }

    private long full() {
        return device.context().counters().getOrDefault("drop_mad_agent_full", 0L);
    }

    @Test
    void shouldFailCallsWhenTheDeviceIsRemoved() {
        int agent = client.register(false);
        MemorySegment to = client.allocate(PACKET_BYTES);
        PlayedCall waiting = client.beginRead(to, PACKET_BYTES);
        device.close();
        assertEquals(EIO, waiting.await());
        assertEquals(EIO, client.readNow(to, PACKET_BYTES));
        assertEquals(EIO, client.write(MemorySegment.ofAddress(to.address()).reinterpret(PACKET_BYTES)));
        assertEquals(EIO, client.tryRegister(client.request(MadProgram.PING_CLASS, 1, MadProgram.PING_OUI, 0)));
        assertEquals(EINVAL, client.unregister(agent));
    }

    @Test
    void shouldSurviveRandomCalls() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        int agent = client.register(true);
        int victim = server.register(false);
        int[] commands = {UmadIoctl.REGISTER_AGENT, UmadIoctl.REGISTER_AGENT2, UmadIoctl.UNREGISTER_AGENT, UmadIoctl.ENABLE_PKEY};
        for (int i = 0; i < 5_000; i++) {
            MemorySegment packet = client.ping(agent, i, random.nextInt(3));
            for (int j = random.nextInt(6); j > 0; j--) {
                packet.set(AbiLayout.U8, random.nextInt(UmadHeader.BYTES + 40), (byte) random.nextInt());
            }
            long result = switch (random.nextInt(3)) {
                case 0 -> client.write(packet, random.nextInt(PACKET_BYTES + 1));
                case 1 -> client.readNow(packet, random.nextInt(PACKET_BYTES + 1));
                default -> client.ioctl(commands[random.nextInt(commands.length)], packet.address());
            };
            assertTrue(result >= -200 && result <= PACKET_BYTES, "seed " + seed + ": " + result);
        }
        assertEquals(PACKET_BYTES, server.write(server.ping(victim, 1, SOON_MS)), "seed " + seed);
        assertFalse(server.read().byteSize() == 0, "seed " + seed);
    }
}
