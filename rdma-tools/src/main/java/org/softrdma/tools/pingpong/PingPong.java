// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.ArrayList;
import java.util.List;
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
        RdmaDevice device = device(parameters);
        Endpoint endpoint = Endpoint.open(device, parameters);
        try {
            run(device, endpoint, parameters, console);
            endpoint.close();
            return 0;
        } finally {
            endpoint.abandon();
        }
    }

    private static void run(RdmaDevice device, Endpoint endpoint, PingPongParameters parameters, Console console) {
        int posted = endpoint.postReceives(parameters.rxDepth);
        if (posted < parameters.rxDepth) {
            throw new ToolFailure("Couldn't post receive (" + posted + ")");
        }
        if (parameters.events) {
            endpoint.cq().requestNotify();
        }

        List<Destination> own = endpoint.destinations(ThreadLocalRandom.current());
        for (Destination each : own) {
            // Only the original for UD has a colon before the GID here.
            say("  local address:  " + (parameters.service == Service.UD ? each.toString().replace(", GID", ": GID") : each), parameters,
                console);
        }
        AddressExchange exchange = new AddressExchange(parameters.service.destinations);
        List<Destination> peers;
        if (parameters.isClient()) {
            peers = exchange.asClient(parameters.server, parameters.port, own);
        } else {
            peers = exchange.asServer(parameters.port, own, clients -> endpoint.connect(own, clients));
        }
        for (Destination each : peers.subList(0, own.size())) {
            say("  remote address: " + each, parameters, console);
        }
        if (parameters.isClient()) {
            endpoint.connect(own, peers);
            if (parameters.validate) {
                endpoint.markPages();
            }
        }

        long elapsedNs = new PingPongLoop(endpoint, parameters, posted).run();
        PingPongResult result = new PingPongResult(parameters, device.name(), elapsedNs,
            parameters.validate && !parameters.isClient() ? invalidPages(endpoint, parameters) : List.of());
        console.print(parameters.json ? result.json() : result.text());
    }

    /** Prints a line, unless the output is JSON. */
    private static void say(String line, PingPongParameters parameters, Console console) {
        if (!parameters.json) {
            console.println(line);
            console.out().flush();
        }
    }

    private static RdmaDevice device(PingPongParameters parameters) {
        List<RdmaDevice> devices;
        try {
            devices = Verbs.devices();
        } catch (VerbsException refused) {
            throw new ToolFailure("Failed to get IB devices list: " + refused.errno().text(), refused);
        }
        if (parameters.device == null) {
            if (devices.isEmpty()) {
                throw new ToolFailure("No IB devices found\n`rdma link add rxe0 type rxe netdev NETDEV` adds one.");
            }
            return devices.getFirst();
        }
        for (RdmaDevice each : devices) {
            if (each.isNamed(parameters.device)) {
                return each;
            }
        }
        throw new ToolFailure("IB device " + parameters.device + " not found\n" + (devices.isEmpty() ? "There are no devices."
            : "There are: " + String.join(", ", Verbs.names(devices))));
    }

    /** Checks the received buffer. Invalid pages are printed only: the exit code is 0, as the original's is. */
    private static List<Long> invalidPages(Endpoint endpoint, PingPongParameters parameters) {
        List<Long> pages = new ArrayList<>();
        for (long offset = 0; offset < parameters.size; offset += endpoint.pageBytes()) {
            if (!endpoint.isMarked(offset)) {
                pages.add(offset / endpoint.pageBytes());
            }
        }
        return pages;
    }
}
