// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/** {@code ibv_rc_pingpong}, {@code ibv_srq_pingpong}, {@code ibv_uc_pingpong} and {@code ibv_ud_pingpong}. */
public final class PingPong implements Tool {
    private final Service service;

    public PingPong(Service service) {
        this.service = service;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        PingPongParameters parameters = PingPongOptions.parse(service, name, arguments, console);
        if (parameters == null) {
            return 1;
        }
        Endpoint endpoint = Endpoint.open(device(parameters), parameters);
        try {
            run(endpoint, parameters, console);
            endpoint.close();
            return 0;
        } finally {
            endpoint.abandon();
        }
    }

    private static void run(Endpoint endpoint, PingPongParameters parameters, Console console) {
        int posted = endpoint.postReceives(parameters.rxDepth());
        if (posted < parameters.rxDepth()) {
            throw new ToolFailure("Couldn't post receive (" + posted + ")");
        }
        if (parameters.events()) {
            endpoint.cq().requestNotify();
        }

        List<Destination> own = endpoint.destinations(ThreadLocalRandom.current());
        for (Destination each : own) {
            // A colon where the others have a comma: the original's.
            console.println("  local address:  " + (parameters.service() == Service.UD ? each.toString().replace(", GID", ": GID") : each));
        }
        console.out().flush();
        AddressExchange exchange = new AddressExchange(parameters.service().destinations);
        List<Destination> peers;
        if (parameters.isClient()) {
            peers = exchange.asClient(parameters.server(), parameters.port(), own);
        } else {
            peers = exchange.asServer(parameters.port(), own, clients -> endpoint.connect(own, clients));
        }
        for (Destination each : peers.subList(0, own.size())) {
            console.println("  remote address: " + each);
        }
        console.out().flush();
        if (parameters.isClient()) {
            endpoint.connect(own, peers);
            if (parameters.validate()) {
                endpoint.markPages();
            }
        }

        long elapsedNs = new PingPongLoop(endpoint, parameters, posted).run();
        report(elapsedNs, parameters, console);
        if (parameters.validate() && !parameters.isClient()) {
            validate(endpoint, parameters, console);
        }
    }

    private static RdmaDevice device(PingPongParameters parameters) {
        List<RdmaDevice> devices;
        try {
            devices = Verbs.devices();
        } catch (VerbsException refused) {
            throw new ToolFailure("Failed to get IB devices list: " + refused.errno().text(), refused);
        }
        if (parameters.device() == null) {
            if (devices.isEmpty()) {
                throw new ToolFailure("No IB devices found\n`rdma link add rxe0 type rxe netdev NETDEV` adds one.");
            }
            return devices.getFirst();
        }
        for (RdmaDevice each : devices) {
            if (each.name().equals(parameters.device())) {
                return each;
            }
        }
        throw new ToolFailure("IB device " + parameters.device() + " not found\n" + (devices.isEmpty() ? "There are no devices."
            : "There are: " + String.join(", ", devices.stream().map(RdmaDevice::name).toList())));
    }

    private static void report(long elapsedNs, PingPongParameters parameters, Console console) {
        // As the original computes it, in a float.
        float usec = elapsedNs / 1000;
        long iterations = Integer.toUnsignedLong(parameters.iterations());
        long bytes = Integer.toUnsignedLong(parameters.size()) * iterations * 2;
        console.println(bytes + " bytes in " + fixed(usec / 1e6) + " seconds = " + fixed(bytes * 8.0 / usec) + " Mbit/sec");
        console.println(parameters.iterations() + " iters in " + fixed(usec / 1e6) + " seconds = " + fixed(usec / iterations)
            + " usec/iter");
    }

    /** C's {@code %.2f}, which has its own words for what is no number. */
    private static String fixed(double value) {
        if (Double.isNaN(value)) {
            return "-nan";
        }
        return Double.isInfinite(value) ? "inf" : String.format(Locale.ROOT, "%.2f", value);
    }

    /** What is wrong is only printed: the original's exit code stays 0. */
    private static void validate(Endpoint endpoint, PingPongParameters parameters, Console console) {
        for (long offset = 0; offset < parameters.size(); offset += endpoint.pageBytes()) {
            if (!endpoint.isMarked(offset)) {
                console.println("invalid data in page " + offset / endpoint.pageBytes());
            }
        }
    }
}
