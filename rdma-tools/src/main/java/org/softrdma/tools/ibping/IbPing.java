// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/**
 * {@code ibping}: client and server of pings by management datagrams. The peer is a LID on an InfiniBand subnet. Ethernet has none, so
 * the peer is a GID or an IP address there.
 */
public final class IbPing implements Tool {
    private static final List<GetoptLong.Long> LONG_OPTIONS = List.of(new GetoptLong.Long("count", true, 'c'),
        new GetoptLong.Long("flood", false, 'f'), new GetoptLong.Long("oui", true, 'o'), new GetoptLong.Long("Server", false, 'S'),
        new GetoptLong.Long("Ca", true, 'C'), new GetoptLong.Long("Port", true, 'P'), new GetoptLong.Long("Guid", false, 'G'),
        new GetoptLong.Long("timeout", true, 't'), new GetoptLong.Long("debug", false, 'd'), new GetoptLong.Long("help", false, 'h'),
        new GetoptLong.Long("version", false, 'V'));

    private static final String USAGE = """

        Usage: ibping [options] <dest lid|gid|address>

        Options:
          --count, -c <num>       stop after count packets
          --flood, -f             flood destination
          --oui, -o <num>         use specified OUI number
          --Server, -S            start in server mode
          --Ca, -C <ca>           device to use
          --Port, -P <port>       port of the device (default 1)
          --Guid, -G              the destination is a GID; ignored
          --timeout, -t <ms>      time to wait for an answer (default 1000)
          --debug, -d             print debug messages
          --help, -h              help message
          --version, -V           show version
        """;

    private PingOptions options;
    private Console console;

    @Override
    public int run(String name, List<String> arguments, Console to) {
        console = to;
        options = new PingOptions();
        GetoptLong reader = new GetoptLong(name, "c:fo:SC:P:Gt:dhV", LONG_OPTIONS, arguments, console);
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'c' -> options.count = Integer.toUnsignedLong(CNumber.unsigned(reader.argument()));
                case 'f' -> options.flooding = true;
                case 'o' -> options.oui = CNumber.unsigned(reader.argument()) & 0xffffff;
                case 'S' -> options.serving = true;
                case 'C' -> options.device = reader.argument();
                case 'P' -> options.port = CNumber.unsigned(reader.argument());
                case 't' -> options.timeoutMs = Integer.toUnsignedLong(CNumber.unsigned(reader.argument()));
                case 'd' -> options.debugging = true;
                case 'G' -> { }
                case 'V' -> {
                    console.println("ibping 44, softrdma's");
                    return 0;
                }
                default -> {
                    console.error(USAGE.stripTrailing());
                    return option == 'h' ? 0 : 1;
                }
            }
        }
        return run(reader.operands());
    }

    private int run(List<String> operands) {
        if (operands.isEmpty() && !options.serving) {
            console.error(USAGE.stripTrailing());
            return 1;
        }
        if (options.serving) {
            serve();
        } else {
            ping(PingPath.to(operands.getFirst()));
        }
        return 0;
    }

    private void ping(PingPath path) {
        try (Context context = path.open(options.device); MadAgent agent = context.openMadAgent(PingMad.CLASS)) {
            new PingClient(agent, path.source(context, options.port), path.destination(), path.name(), options, console).ping();
        }
    }

    /** Answers on each device whose management datagrams of this class are free, until the process is ended. */
    private void serve() {
        List<Thread> answering = new ArrayList<>();
        VerbsException refusal = null;
        for (RdmaDevice device : PingPath.devices(options.device)) {
            try {
                answering.add(answeringOn(device));
            } catch (VerbsException refused) {
                debug(device.name() + ": " + refused.getMessage());
                refusal = refusal == null ? refused : refusal;
            }
        }
        if (answering.isEmpty() && refusal != null) {
            throw refusal;
        }
        try {
            for (Thread each : answering) {
                each.join();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Opens a device and starts to answer there. If that is impossible, the device is closed again: other programs do not see it. */
    private Thread answeringOn(RdmaDevice device) {
        Context context = device.open();
        try {
            context.queryPort(options.port);
            MadAgent agent = context.openMadAgent(PingMad.CLASS);
            debug("starting to serve at " + PingPath.gids(context, options.port));
            return Thread.ofPlatform().start(() -> answerOn(agent));
        } catch (VerbsException refused) {
            context.close();
            throw refused;
        }
    }

    private void answerOn(MadAgent agent) {
        String hostName = hostName();
        while (true) {
            MadAgent.Received request = agent.receive(-1);
            if (PingMad.isRequest(request.mad(), options.oui)) {
                answer(agent, request, hostName);
            }
        }
    }

    /** Answers a request. A failure is not fatal, since the next client may be reachable. */
    private void answer(MadAgent agent, MadAgent.Received request, String hostName) {
        debug("Pong: " + hostName + " to " + request.from());
        try {
            agent.send(request.to(), request.from(), PingMad.answer(request.mad(), hostName));
        } catch (VerbsException failed) {
            debug("respond failed: " + failed.getMessage());
        }
    }

    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException elsewhere) {
            return "?hostname?";
        }
    }

    private void debug(String line) {
        if (options.debugging) {
            console.error("ibping: " + line);
        }
    }
}
