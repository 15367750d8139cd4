// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.softrdma.fabric.attach.PortMessages;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.PortDevice;

/**
 * A process that is attached to a port: its packets enter the fabric, and those that reach the port are written to it, several at a time. A
 * message that cannot be one ends the session. Packets for a process that does not read are lost once {@value #MAX_OUTPUT} bytes wait.
 */
final class PortSession implements Session, PortDevice {
    /** Maximum bytes that wait for the process. */
    static final int MAX_OUTPUT = 1 << 22;
    private static final int FIRST_OUTPUT = 1 << 16;
    private static final int INPUT = 1 << 17;
    /** Room that packets leave to a message with registers. */
    private static final int RESERVE = PortMessages.HEAD + PortMessages.PORT_LENGTH;
    private static final System.Logger LOG = System.getLogger(PortSession.class.getName());

    private final FabricService service;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final FabricPort port;
    private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT);
    /** Filled up to its position; the limit is the capacity. */
    private ByteBuffer output = ByteBuffer.allocateDirect(FIRST_OUTPUT);
    private int reregistrations;
    private boolean registersChanged = true;

    /**
     * Attaches a process.
     *
     * @throws FabricCommands.Refused another process is attached
     */
    PortSession(FabricService service, SocketChannel channel, SelectionKey key, Fabric fabric, FabricPort port) {
        if (port.device() != null) {
            throw new FabricCommands.Refused("another process has " + port + "; end it, or use another node or port");
        }
        this.service = service;
        this.channel = channel;
        this.key = key;
        this.port = port;
        output.put(FabricConnection.OK.getBytes(StandardCharsets.UTF_8));
        fabric.attach(port, this);
        key.attach(this);
        service.writeSoon(this);
    }

    // ---- from the process ----

    @Override
    public void onReady(Fabric fabric) {
        try {
            if (key.isWritable()) {
                flush(fabric);
            }
            if (key.isValid() && key.isReadable()) {
                boolean ended = channel.read(input) < 0;
                if (!carryAll(fabric) || ended) {
                    close(fabric);
                }
            }
        } catch (IOException gone) {
            close(fabric);
        }
    }

    /** Carries the complete packets of the input. @return false if there is something else */
    private boolean carryAll(Fabric fabric) {
        int at = 0;
        while (input.position() - at >= PortMessages.HEAD) {
            int head = input.getInt(at);
            if (PortMessages.kind(head) != PortMessages.PACKET || !PortMessages.isPossible(head)) {
                LOG.log(System.Logger.Level.WARNING, "the process at " + port + " was detached: it sent no packet but 0x"
                    + Integer.toHexString(head));
                return false;
            }
            int end = at + PortMessages.HEAD + PortMessages.length(head);
            if (end > input.position()) {
                break;
            }
            fabric.carry(port, input, at + PortMessages.HEAD, PortMessages.length(head), FabricHost.nowNs());
            at = end;
        }
        input.flip().position(at);
        input.compact();
        return true;
    }

    // ---- to the process ----

    @Override
    public boolean onPacket(ByteBuffer packet, int at, int length) {
        int needed = PortMessages.HEAD + length;
        if (output.remaining() < needed + RESERVE && !grow(needed + RESERVE)) {
            return false;
        }
        output.putInt(PortMessages.head(PortMessages.PACKET, length));
        output.put(output.position(), packet, at, length).position(output.position() + length);
        service.writeSoon(this);
        return true;
    }

    private boolean grow(int needed) {
        int capacity = output.capacity() * 2;
        if (capacity > MAX_OUTPUT || capacity - output.position() < needed) {
            return false;
        }
        output = ByteBuffer.allocateDirect(capacity).put(output.flip());
        return true;
    }

    @Override
    public void onChange(FabricPort changed, Change change) {
        registersChanged = true;
        reregistrations += change == Change.CLIENT_REREGISTER ? 1 : 0;
        service.writeSoon(this);
    }

    /** Writes what waits, as far as the channel permits. */
    void flush(Fabric fabric) {
        if (registersChanged && output.remaining() >= RESERVE) {
            registersChanged = false;
            output.putInt(PortMessages.head(PortMessages.PORT, PortMessages.PORT_LENGTH));
            port.copyRegisters(output, output.position(), reregistrations);
            output.position(output.position() + PortMessages.PORT_LENGTH);
        }
        try {
            channel.write(output.flip());
            output.compact();
            boolean more = output.position() > 0 || registersChanged;
            key.interestOps(more ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        } catch (IOException gone) {
            close(fabric);
        }
    }

    @Override
    public void close(Fabric fabric) {
        service.forget(this);
        if (port.device() == this) {
            fabric.attach(port, (PortDevice) null);
        }
        try {
            channel.close();
        } catch (IOException ignored) {
            // closed in any case
        }
    }
}
