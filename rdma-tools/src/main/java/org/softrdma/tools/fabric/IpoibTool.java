// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.fabric;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.softrdma.fabric.ipoib.IpoibMode;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.fabric.net.AdministrationAgent;
import org.softrdma.fabric.net.EchoEnd;
import org.softrdma.fabric.net.IpEnd;
import org.softrdma.fabric.net.IpoibProcess;
import org.softrdma.fabric.net.PrefixText;
import org.softrdma.fabric.net.TunEnd;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Service;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code softrdma ipoib}: an IP interface on a device of a fabric. */
@Command(name = "ipoib", sortOptions = false,
    description = "Runs an IP interface on a device of an InfiniBand fabric until it is stopped. Behind it is the host's "
        + "IP stack, by a network interface with the device's name (ip addr add gives it addresses); or, with --address, a small stack in "
        + "this process, which needs no privileges: it answers pings, and sends them with --ping.")
public final class IpoibTool extends AnnotatedTool {
    private static final String NAME = "softrdma ipoib: ";
    private static final int PARTITION = 0x7FFF;
    private static final int FULL_MEMBER = 0x8000;
    private static final int LEAST_BYTES = 8;
    private static final int MOST_BYTES = 65_000;
    private static final long PING_INTERVAL_MS = 1000;

    @Parameters(paramLabel = "DEVICE", description = "device on a fabric: rdma link add NAME type ib fabric FABRIC node NODE")
    private String device;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", description = "port of the device (default: ${DEFAULT-VALUE})")
    private int port = 1;

    @Option(names = "--pkey", paramLabel = "PKEY", split = ",", description = "P_Key of the partition; of several ones, with commas, an "
        + "interface for each (default: 0xffff)")
    private List<String> pkeys = List.of("0xffff");

    @Option(names = "--mode", paramLabel = "MODE", description = "datagram, with the MTU of the fabric, or connected, with MTU 65520 and a "
        + "connection to each interface that is in this mode, too (default: ${DEFAULT-VALUE}). Linux has it in /sys/class/net/ib0/mode")
    private String mode = IpoibMode.DATAGRAM.toString();

    @Option(names = "--netdev", paramLabel = "NAME", description = "name of the network interface (default: the device's, with the P_Key "
        + "behind it in another partition than the default one: ib0.8001). It is made, which takes CAP_NET_ADMIN, or was made "
        + "beforehand: ip tuntap add NAME mode tun user USER")
    private String netdev;

    @Option(names = "--address", paramLabel = "ADDRESS/BITS", description = "no network interface, but a stack in this process with this "
        + "IPv4 address")
    private String address;

    @Option(names = "--ping", paramLabel = "ADDRESS", description = "with --address: ping this address")
    private String ping;

    @Option(names = {"-c", "--count"}, paramLabel = "N", description = "number of pings (default: ${DEFAULT-VALUE})")
    private int count = 4;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", description = "data of a ping (default: ${DEFAULT-VALUE})")
    private int size = 56;

    @Option(names = {"-v", "--verbose"}, description = "print counters at the end")
    private boolean verbose;

    private Prefix own;

    @Override
    protected void check() {
        if (address != null && netdev != null) {
            throw new Misused("--address and --netdev exclude each other");
        }
        if (ping != null && address == null) {
            throw new Misused("--ping needs --address; with a network interface, use ping");
        }
        if (count < 1 || size < LEAST_BYTES || size > MOST_BYTES) {
            throw new Misused("at least one ping of " + LEAST_BYTES + " to " + MOST_BYTES + " bytes");
        }
        for (String each : pkeys) {
            if (!each.matches("(0[xX])?[0-9a-fA-F]{1,4}") || (pkey(each) & PARTITION) == 0) {
                throw new Misused("'" + each + "' is no P_Key");
            }
        }
        if (pkeys.stream().map(IpoibTool::pkey).distinct().count() < pkeys.size()) {
            throw new Misused("--pkey has a partition twice");
        }
        if (pkeys.size() > 1 && (address != null || netdev != null)) {
            throw new Misused("--address and --netdev are for one --pkey");
        }
        if (Arrays.stream(IpoibMode.values()).noneMatch(each -> each.toString().equals(mode))) {
            throw new Misused("--mode is datagram or connected");
        }
        own = address == null ? null : prefix();
    }

    private Prefix prefix() {
        try {
            Prefix found = PrefixText.parse(address);
            return new Prefix(requireIpv4(found.address(), address), found.length());
        } catch (IllegalArgumentException wrong) {
            throw new Misused(wrong.getMessage());
        }
    }

    private static Gid ipv4(String text) {
        try {
            return requireIpv4(Gid.of(InetAddress.getByName(text)), text);
        } catch (UnknownHostException unknown) {
            throw new Misused("'" + text + "' is no address");
        }
    }

    private static Gid requireIpv4(Gid address, String text) {
        if (!address.isIpv4Mapped()) {
            throw new Misused("the stack in this process has IPv4 only, not " + text);
        }
        return address;
    }

    @Override
    protected int execute(String tool, List<String> arguments, Console console) {
        Gid target = ping == null ? null : ipv4(ping);
        CountDownLatch finished = new CountDownLatch(1);
        LinkedBlockingQueue<Long> replies = new LinkedBlockingQueue<>();
        RdmaDevice found = find();
        Deque<Interface> running = new ArrayDeque<>();
        try (Context context = found.open(); AdministrationAgent agent = new AdministrationAgent(context)) {
            try {
                for (String each : pkeys) {
                    running.add(new Interface(found, agent, pkey(each), replies::add, console));
                }
                Service.endAtSignal(() -> running.forEach(each -> each.end.close()), finished);
                int status = 0;
                if (target == null) {
                    run(running);
                } else {
                    status = ping(running.element().process, (EchoEnd) running.element().end, target, replies, console);
                }
                if (verbose) {
                    running.forEach(each -> each.printCounters(console));
                }
                return status;
            } finally {
                running.forEach(Interface::close);
            }
        } catch (VerbsException refused) {
            throw new ToolFailure(NAME + refused.getMessage());
        } catch (InterruptedException stopped) {
            return 1;
        } finally {
            finished.countDown();
        }
    }

    /** Runs all interfaces until one ends, or is gone; the others end with it. */
    private static void run(Deque<Interface> interfaces) throws InterruptedException {
        AtomicReference<VerbsException> failure = new AtomicReference<>();
        List<Thread> threads = interfaces.stream().map(each -> Thread.ofPlatform().daemon().start(() -> {
            try {
                each.process.run();
            } catch (VerbsException gone) {
                failure.compareAndSet(null, gone);
            }
            interfaces.forEach(other -> other.end.close());
        })).toList();
        for (Thread each : threads) {
            each.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    /** The interface of a partition. */
    private final class Interface {
        private final String name;
        private final Context context;
        private final IpEnd end;
        private final IpoibProcess process;

        Interface(RdmaDevice found, AdministrationAgent agent, int pkey, LongConsumer onReply, Console console) {
            boolean child = (pkey & PARTITION) != PARTITION;
            name = netdev != null ? netdev : child ? String.format("%s.%04x", device, pkey) : device;
            context = found.open();
            try {
                end = own == null ? new TunEnd(name) : new EchoEnd(own, onReply);
            } catch (VerbsException refused) {
                context.close();
                throw refused;
            }
            try {
                process = new IpoibProcess(context, agent, port, pkey, mode(), end, line -> print(console, name + ": " + line));
            } catch (VerbsException refused) {
                end.close();
                context.close();
                throw refused;
            }
        }

        void printCounters(Console console) {
            String prefix = pkeys.size() > 1 ? name + " " : "";
            process.counters().forEach((counter, total) -> print(console, prefix + counter.toLowerCase(Locale.ROOT) + " " + total));
        }

        void close() {
            process.close();
            context.close();
        }
    }

    private RdmaDevice find() {
        return Verbs.devices().stream().filter(each -> each.isNamed(device)).findFirst()
            .orElseThrow(() -> new ToolFailure(NAME + "no device " + device + "; there are: " + Verbs.names(Verbs.devices())));
    }

    private IpoibMode mode() {
        return IpoibMode.valueOf(mode.toUpperCase(Locale.ROOT));
    }

    /** The P_Key of a full member. */
    private static int pkey(String text) {
        return Integer.parseInt(text.replaceFirst("^0[xX]", ""), 16) | FULL_MEMBER;
    }

    private int ping(IpoibProcess process, EchoEnd end, Gid target, LinkedBlockingQueue<Long> replies, Console console)
            throws InterruptedException {
        Thread running = Thread.ofPlatform().daemon().start(() -> end.run(process));
        if (!end.awaitUp()) {
            return 1;
        }
        int received = 0;
        for (int i = 1; i <= count; i++) {
            end.ping(target, i, size);
            Long time = replies.poll(PING_INTERVAL_MS, TimeUnit.MILLISECONDS);
            if (time != null) {
                received++;
                print(console, String.format(Locale.ROOT, "%d bytes from %s: icmp_seq=%d time=%.3f ms", size + 8, ping, i, time / 1e6));
                if (i < count) {
                    Thread.sleep(PING_INTERVAL_MS);
                }
            }
        }
        print(console, count + " packets transmitted, " + received + " received, " + (count - received) * 100 / count + "% packet loss");
        end.close();
        running.join();
        return received > 0 ? 0 : 1;
    }

    private static void print(Console console, String line) {
        console.println(line);
        console.out().flush();
    }
}
