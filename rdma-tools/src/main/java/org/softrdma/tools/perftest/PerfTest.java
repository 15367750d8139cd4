// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/** {@code ib_send_bw}, {@code ib_send_lat}, and the same of write, read and atomic. */
public final class PerfTest implements Tool {
    private static final String NO_CONTEXT = " Couldn't get context for the device";

    private final Verb verb;
    private final boolean latency;

    private PerfTest(Verb verb, boolean latency) {
        this.verb = verb;
        this.latency = latency;
    }

    public static PerfTest bandwidth(Verb verb) {
        return new PerfTest(verb, false);
    }

    public static PerfTest latency(Verb verb) {
        return new PerfTest(verb, true);
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        Parameters parameters = CommandLine.parse(verb, latency, name, arguments, console);
        if (parameters == null) {
            // Exit codes of help and version as in the original.
            return 1;
        }
        RdmaDevice device = find(parameters);
        if (device.transport() == Transport.IWARP) {
            refuseOnIwarp(parameters, device.name());
        }
        parameters.origin = device.origin();
        try (Context context = open(device)) {
            checkVector(parameters, context);
            PortAttributes port = checkPort(parameters, context);
            settleWithDevice(parameters, context.queryDevice(), console);
            Mtu mtu = mtu(parameters, port, console);
            if (parameters.printsEverything() && !parameters.sends) {
                console.print("\n************************************\n* Waiting for client to connect... *\n"
                    + "************************************\n");
                console.out().flush();
            }
            try (Peer peer = new Peer(channel(parameters), !parameters.isServer())) {
                new Session(parameters, console, context, peer).run(mtu);
            }
        }
        return 0;
    }

    private RdmaDevice find(Parameters parameters) {
        List<RdmaDevice> devices = Verbs.devices();
        if (devices.isEmpty()) {
            throw noDevice(" Did not detect devices \n If device exists, check if driver is up",
                "`rdma link add rxe0 type rxe netdev NETDEV` adds one.");
        }
        if (parameters.device == null) {
            return devices.getFirst();
        }
        for (RdmaDevice each : devices) {
            if (each.isNamed(parameters.device)) {
                return each;
            }
        }
        throw noDevice("IB device " + parameters.device + " not found",
            "There are: " + String.join(", ", Verbs.names(devices)));
    }

    /** Checks for features that iWARP devices lack. */
    private static void refuseOnIwarp(Parameters parameters, String device) {
        if (!parameters.cmQueuePairs) {
            throw new ToolFailure(device + " is an iWARP device: its queue pairs are connected by the connection manager, "
                + "with -R at both ends.");
        }
        if (parameters.verb != Verb.SEND || parameters.latency) {
            return;
        }
        if (parameters.sharedReceives) {
            throw new ToolFailure(device + " is an iWARP device, where a message without a receive ends the connection.\n"
                + "Receives that queue pairs share cannot be counted for each of them: do without --use-srq.");
        }
        int largestList = Credits.largestList(parameters.rxDepth);
        if (parameters.postList > largestList) {
            throw new ToolFailure("Of an rx depth of " + parameters.rxDepth + ", the server of an iWARP device gives credits for "
                + largestList + " messages at once: a post list of " + parameters.postList + " is too large.");
        }
    }

    /** Exit code of a failure; one of the originals differs. */
    private ToolFailure noDevice(String complaint, String hint) {
        return verb == Verb.READ && !latency ? new ToolFailure(7, complaint + "\n" + hint)
            : new ToolFailure(complaint + "\n Unable to find the Infiniband/RoCE device\n" + hint);
    }

    private static Context open(RdmaDevice device) {
        try {
            return device.open();
        } catch (VerbsException refused) {
            throw new ToolFailure(NO_CONTEXT, refused);
        }
    }

    private static void checkVector(Parameters parameters, Context context) {
        int vectors = context.queryDevice().numCompVectors();
        if (parameters.events && parameters.vector >= vectors) {
            throw new ToolFailure(" Completion vector specified is invalid\n Max completion vector = " + (vectors - 1) + "\n" + NO_CONTEXT);
        }
    }

    private static PortAttributes checkPort(Parameters parameters, Context context) {
        PortAttributes port;
        try {
            port = context.queryPort(parameters.ibPort);
        } catch (VerbsException none) {
            throw new ToolFailure(" Unable to query port " + parameters.ibPort + " attributes\n Couldn't set the link layer\n"
                + NO_CONTEXT);
        }
        if (port.state() != PortState.ACTIVE) {
            throw new ToolFailure(" Port number " + parameters.ibPort + " state is " + nameOf(port.state())
                + "\n Couldn't set the link layer\n" + NO_CONTEXT);
        }
        return port;
    }

    /** Name in the original's spelling. */
    private static String nameOf(PortState state) {
        return switch (state) {
            case NOP -> "Nop";
            case DOWN -> "Down";
            case INIT -> "Init";
            case ARMED -> "Armed";
            case ACTIVE -> "Active";
            case ACTIVE_DEFER -> "Active Defer";
        };
    }

    /** Checks the parameters against the device's limits. */
    private static void settleWithDevice(Parameters parameters, DeviceAttributes device, Console console) {
        if (parameters.inlineSize > device.maxInlineData()) {
            console.error("  Actual inline-size(" + device.maxInlineData() + ") < requested inline-size(" + parameters.inlineSize + ")");
            parameters.inlineSize = device.maxInlineData();
        }
        if (!parameters.verb.fetches()) {
            parameters.outstandingReads = 1;
        } else if (parameters.outstandingReads > device.maxQpRdAtom()) {
            console.error(" Number of outstanding reads is above max = " + device.maxQpRdAtom() + "\n Changing to that max value");
            parameters.outstandingReads = device.maxQpRdAtom();
        } else if (parameters.outstandingReads <= 0) {
            parameters.outstandingReads = device.maxQpRdAtom();
        }
    }

    /** This end's MTU. */
    private static Mtu mtu(Parameters parameters, PortAttributes port, Console console) {
        Mtu active = port.activeMtu();
        if (parameters.mtuBytes == 0) {
            return active;
        }
        Mtu asked = Mtu.ofBytes(parameters.mtuBytes);
        if (asked == null) {
            console.error(" Invalid MTU - " + parameters.mtuBytes + " \n Please choose mtu from {256,512,1024,2048,4096}\n"
                + " Will run with the port active mtu - " + active.value());
            return active;
        }
        if (asked.value() > active.value()) {
            if (parameters.printsEverything()) {
                console.print("Requested mtu is higher than active mtu \nChanging to active mtu - " + active.value() + "\n");
            }
            return active;
        }
        return asked;
    }

    private static ControlChannel channel(Parameters parameters) {
        if (parameters.isControlledByCm()) {
            return parameters.isServer() ? CmChannel.accept(parameters) : CmChannel.connect(parameters);
        }
        return parameters.isServer() ? TcpChannel.accept(parameters) : TcpChannel.connect(parameters);
    }
}
