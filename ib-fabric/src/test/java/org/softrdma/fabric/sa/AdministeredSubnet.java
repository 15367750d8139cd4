// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.sm.ManagedFabric;
import org.softrdma.fabric.sm.SubnetManager;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.Rmpp;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Mad;

/** A simulated subnet with its manager at one adapter, and a client of subnet administration at another one, on virtual time. */
final class AdministeredSubnet {
    private static final long SECOND = 1_000_000_000L;
    private static final int CLASS_HEADER = 20;

    final Fabric fabric;
    final SubnetManager manager;
    final FabricPort at;
    final FabricPort client;
    /** Datagrams that the client received and did not take yet. */
    final ArrayDeque<ManagementPacket> received = new ArrayDeque<>();
    private final ManagedFabric managed;
    private long transaction;

    AdministeredSubnet(Topology topology, String managerNode, String clientNode) {
        this(topology, managerNode, clientNode, Partitions.DEFAULT);
    }

    AdministeredSubnet(Topology topology, String managerNode, String clientNode, Partitions partitions) {
        managed = new ManagedFabric(topology, new SplittableRandom(7));
        fabric = managed.fabric();
        at = fabric.find(managerNode).port(1);
        client = fabric.find(clientNode).port(1);
        manager = managed.beginAlone(at, partitions).manager();
        fabric.attach(client, new MadClient() {
            @Override
            public boolean accepts(ManagementPacket packet) {
                return packet.managementClass() == SaMad.CLASS;
            }

            @Override
            public void deliver(ManagementPacket packet) {
                received.add(packet.copy());
            }
        });
        run(SECOND);
        assertTrue(manager.isUp());
    }

    long nowNs() {
        return managed.nowNs();
    }

    /** Lets time pass. */
    void run(long durationNs) {
        managed.run(durationNs);
    }

    /** Ports with LIDs, in no particular order. */
    List<FabricPort> ends() {
        List<FabricPort> ends = new ArrayList<>();
        for (FabricNode node : fabric.nodes()) {
            ends.add(node.port(node.isSwitch() ? 0 : 1));
        }
        return ends;
    }

    ByteBuffer request(int method, int attribute, long mask) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        SaMad.begin(mad, 0, method, attribute, ++transaction, mask);
        return mad;
    }

    void send(ByteBuffer mad) {
        fabric.send(client, ManagementPacket.general(client.lid(), at.lid(), mad), nowNs());
        run(SECOND / 1000);
    }

    /** The answer, in one packet, to a request that is not for a table. */
    ByteBuffer answer(ByteBuffer request) {
        send(request);
        ManagementPacket packet = received.poll();
        assertNotNull(packet, "no answer");
        assertEquals(Mad.transactionId(request, 0), packet.transactionId());
        assertTrue(MadMethod.isResponse(packet.method()));
        assertEquals(0, Rmpp.FLAGS.get(packet.mad(), 0));
        return packet.mad();
    }

    static int status(ByteBuffer mad) {
        return mad.getShort(Mad.STATUS_OFFSET);
    }

    void acknowledge(ByteBuffer data, int segment, int windowLast) {
        ByteBuffer mad = ManagementPacket.copyOf(data);
        mad.put(Mad.METHOD_OFFSET, (byte) (Mad.method(data, 0) & ~MadMethod.RESPONSE));
        Rmpp.put(mad, 0, Rmpp.TYPE_ACK, Rmpp.FLAG_ACTIVE, Rmpp.STATUS_NORMAL, segment, windowLast);
        send(mad);
    }

    /** The records of a table; a segment, or its acknowledgement, is lost where {@code loses} says so. */
    List<ByteBuffer> table(ByteBuffer request, SplittableRandom random, double loses, int window) {
        send(request);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int next = 1;
        int announced = 0;
        for (int patience = 0; patience < 100_000; patience++) {
            ManagementPacket packet = received.poll();
            if (packet == null) {
                run(SECOND / 10);
                continue;
            }
            ByteBuffer mad = packet.mad();
            assertEquals(MadMethod.GET_TABLE_RESPONSE, packet.method());
            assertEquals(0, status(mad));
            assertEquals(Rmpp.TYPE_DATA, Rmpp.TYPE.get(mad, 0));
            if (random.nextDouble() < loses) {
                continue;
            }
            int segment = Rmpp.SEGMENT.get(mad, 0);
            boolean last = Rmpp.has(mad, 0, Rmpp.FLAG_LAST);
            assertEquals(segment == 1, Rmpp.has(mad, 0, Rmpp.FLAG_FIRST));
            if (segment == next) {
                int said = Rmpp.PAYLOAD_LENGTH.get(mad, 0);
                announced = segment == 1 ? said : announced;
                int bytes = last ? (segment == 1 ? announced : said) - CLASS_HEADER : SaMad.DATA_LENGTH;
                all.write(mad.array(), SaMad.DATA_OFFSET, bytes);
                next++;
            }
            if (random.nextDouble() >= loses) {
                acknowledge(mad, next - 1, next - 1 + window);
            }
            if (last && segment == next - 1) {
                assertEquals(announced, all.size() + segment * CLASS_HEADER);
                return records(all.toByteArray(), SaMad.ATTRIBUTE_OFFSET.get(mad, 0) * SaMad.OFFSET_UNIT);
            }
        }
        throw new AssertionError("the table did not end");
    }

    List<ByteBuffer> table(ByteBuffer request) {
        return table(request, new SplittableRandom(1), 0, 5);
    }

    private static List<ByteBuffer> records(byte[] all, int stride) {
        List<ByteBuffer> records = new ArrayList<>();
        for (int i = 0; stride != 0 && i + stride <= all.length; i += stride) {
            records.add(ByteBuffer.wrap(all, i, stride).slice());
        }
        return records;
    }
}
