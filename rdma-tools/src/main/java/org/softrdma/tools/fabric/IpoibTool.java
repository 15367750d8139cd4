// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.fabric;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.softrdma.fabric.ipoib.IpoibMode;
import org.softrdma.fabric.ipoib.Prefix;
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
    private static final int DEFAULT_PKEY = 0xFFFF;
    private static final int LEAST_BYTES = 8;
    private static final int MOST_BYTES = 65_000;
    private static final long PING_INTERVAL_MS = 1000;

    @Parameters(paramLabel = "DEVICE", description = "device on a fabric: rdma link add NAME type ib fabric FABRIC node NODE")
    private String device;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", description = "port of the device (default: ${DEFAULT-VALUE})")
    private int port = 1;

    @Option(names = "--pkey", paramLabel = "PKEY", description = "P_Key of the partition (default: 0xffff)")
    private String pkey;

    @Option(names = "--mode", paramLabel = "MODE", description = "datagram, with the MTU of the fabric, or connected, with MTU 65520 and a "
        + "connection to each interface that is in this mode, too (default: ${DEFAULT-VALUE}). Linux has it in /sys/class/net/ib0/mode")
    private String mode = IpoibMode.DATAGRAM.toString();

    @Option(names = "--netdev", paramLabel = "NAME", description = "name of the network interface (default: the device's). It is made, "
        + "which takes CAP_NET_ADMIN, or was made beforehand: ip tuntap add NAME mode tun user USER")
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
        if (pkey != null && !pkey.matches("(0[xX])?[0-9a-fA-F]{1,4}")) {
            throw new Misused("'" + pkey + "' is no P_Key");
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
        try (Context context = find().open()) {
            IpEnd end = own == null ? new TunEnd(netdev == null ? device : netdev) : new EchoEnd(own, replies::add);
            try (IpoibProcess process = new IpoibProcess(context, port, pkey(), mode(), end,
                    line -> print(console, device + ": " + line))) {
                Service.endAtSignal(end::close, finished);
                int status = 0;
                if (target == null) {
                    process.run();
                } else {
                    status = ping(process, (EchoEnd) end, target, replies, console);
                }
                if (verbose) {
                    process.counters().forEach((name, total) -> print(console, name.toLowerCase(Locale.ROOT) + " " + total));
                }
                return status;
            }
        } catch (VerbsException refused) {
            throw new ToolFailure(NAME + refused.getMessage());
        } catch (InterruptedException stopped) {
            return 1;
        } finally {
            finished.countDown();
        }
    }

    private RdmaDevice find() {
        return Verbs.devices().stream().filter(each -> each.isNamed(device)).findFirst()
            .orElseThrow(() -> new ToolFailure(NAME + "no device " + device + "; there are: " + Verbs.names(Verbs.devices())));
    }

    private IpoibMode mode() {
        return IpoibMode.valueOf(mode.toUpperCase(Locale.ROOT));
    }

    private int pkey() {
        return pkey == null ? DEFAULT_PKEY : Integer.parseInt(pkey.replaceFirst("^0[xX]", ""), 16);
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
