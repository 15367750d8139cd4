// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.cm.CmDevice;
import org.softrdma.cm.CmHost;
import org.softrdma.cm.SoftConnectionManager;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.loopback.LoopbackFiles;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.rxe.Rxe;
import org.softrdma.siw.Siw;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.cm.PortSpace;

/** A device on the loopback interface, a connection manager for it, and rdma_cm for programs that are played by a test. */
final class CmPrograms implements AutoCloseable {
    final RdmaDevice rdma;
    final UcmDevice device;
    private final Map<Integer, ClientProcess> queuePairs = new ConcurrentHashMap<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A process that is played by this one. */
    record Process(int pid, String command, ProcessMemory memory) implements ClientProcess {
        @Override
        public void end(DeviceFile file) {
            file.closed();
        }
    }

    /** The host of the connection manager: one device. */
    private record OneDevice(RdmaDevice rdma, LoopbackListeners loopbackListeners) implements CmHost, CmDevice {
        @Override
        public List<CmDevice> devices() {
            return List.of(this);
        }

        @Override
        public boolean has(InetAddress address) {
            return address.isLoopbackAddress();
        }

        @Override
        public InetAddress sourceFor(InetAddress destination) {
            return destination.getAddress().length == 4 ? InetAddress.ofLiteral("127.0.0.1") : InetAddress.ofLiteral("::1");
        }

        @Override
        public boolean isFree(PortSpace space, InetSocketAddress address) {
            return true;
        }

        @Override
        public int random(int bound) {
            return ThreadLocalRandom.current().nextInt(bound);
        }

        @Override
        public String name() {
            return rdma.name();
        }

        @Override
        public boolean carries(PortSpace space) {
            return rdma.transport() != Transport.IWARP || space == PortSpace.TCP;
        }

        @Override
        public boolean owns(InetAddress address) {
            return address.isLoopbackAddress();
        }

        @Override
        public SoftContext open() {
            return (SoftContext) rdma.open();
        }
    }

    /**
     * Creates everything.
     *
     * @param transport rxe or siw
     * @param state     empty directory
     */
    CmPrograms(String transport, Path state) {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        rdma = transport.equals("rxe") ? Rxe.device("ucm-rxe", lo) : Siw.device("ucm-siw", lo);
        device = new UcmDevice(new SoftConnectionManager(new OneDevice(rdma, new LoopbackFiles(state))),
            (process, name, qpNum) -> name.equals(rdma.name()) && queuePairs.get(qpNum) == process);
    }

    /** Starts a program. */
    CmProgram program(String command) {
        int own = (int) ProcessHandle.current().pid();
        ProcessMemory memory = keep(ProcessMemory.open(own));
        return keep(new CmProgram(this, new Process(own, command, memory)));
    }

    void created(int qpNum, ClientProcess by) {
        queuePairs.put(qpNum, by);
    }

    <T extends AutoCloseable> T keep(T resource) {
        opened.add(resource);
        return resource;
    }

    @Override
    public void close() {
        for (AutoCloseable each : opened.reversed()) {
            try {
                each.close();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            } catch (RuntimeException failed) {
                throw failed;
            } catch (Exception failed) {
                throw new AssertionError(failed);
            }
        }
        device.close();
    }
}
