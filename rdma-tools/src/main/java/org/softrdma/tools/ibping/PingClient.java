// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.VerbsException;

/** Sends pings, counts the answers, and prints a summary, also when SIGINT or SIGTERM ends the process. */
final class PingClient {
    /** How often a request is sent before it counts as lost. */
    private static final int TRIES = 4;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final MadAgent agent;
    private final Gid source;
    private final Gid destination;
    /** The destination in messages. */
    private final String peer;
    private final PingOptions options;
    private final Console console;
    private final long startNs = System.nanoTime();
    private String hostName = "";
    private String complaint = "";
    private long transactionId = ThreadLocalRandom.current().nextLong();
    private long sent;
    private long answered;
    private long shortestNs = Long.MAX_VALUE;
    private long longestNs;
    private long totalNs;

    PingClient(MadAgent agent, Gid source, Gid destination, String peer, PingOptions options, Console console) {
        this.agent = agent;
        this.source = source;
        this.destination = destination;
        this.peer = peer;
        this.options = options;
        this.console = console;
    }

    /** Sends as many pings as the options demand, and prints the summary. */
    void ping() {
        Thread whenInterrupted = new Thread(this::endInterrupted, "ibping-report");
        Runtime.getRuntime().addShutdownHook(whenInterrupted);
        try {
            while (sent < options.count) {
                sent++;
                pingOnce();
                if (!options.flooding && sent < options.count) {
                    LockSupport.parkNanos(SECOND_NS);
                }
            }
        } finally {
            Runtime.getRuntime().removeShutdownHook(whenInterrupted);
        }
        report();
    }

    /** Prints the summary after a signal. Halts with 0, since the JVM would exit with the signal's code. */
    private void endInterrupted() {
        report();
        Runtime.getRuntime().halt(0);
    }

    private void pingOnce() {
        transactionId++;
        byte[] request = PingMad.request(transactionId, options.oui);
        long beganNs = System.nanoTime();
        for (int i = 0; i < TRIES; i++) {
            send(request);
            MadAgent.Received answer = await(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.timeoutMs));
            if (answer != null) {
                answered(answer, System.nanoTime() - beganNs);
                return;
            }
        }
    }

    /** Sends a request. A failure counts as a lost packet and is printed once: the interface may be up again for the next request. */
    private void send(byte[] request) {
        try {
            agent.send(source, destination, request);
        } catch (VerbsException refused) {
            if (!refused.getMessage().equals(complaint)) {
                complaint = refused.getMessage();
                console.error("ibping: " + complaint);
            }
        }
    }

    /** @return the answer to the current request; null after the deadline. Other datagrams are ignored */
    private MadAgent.Received await(long untilNs) {
        while (true) {
            MadAgent.Received next = agent.receive(Math.max(0, untilNs - System.nanoTime()));
            if (next == null || next.from().equals(destination) && PingMad.isAnswer(next.mad(), transactionId, options.oui)) {
                return next;
            }
        }
    }

    private void answered(MadAgent.Received answer, long roundTripNs) {
        answered++;
        totalNs += roundTripNs;
        shortestNs = Math.min(shortestNs, roundTripNs);
        longestNs = Math.max(longestNs, roundTripNs);
        String name = PingMad.hostName(answer.mad());
        hostName = hostName.isEmpty() ? name : hostName;
        if (!options.flooding) {
            console.println("Pong from " + name + " (" + peer + "): time " + ms(roundTripNs) + " ms");
            console.out().flush();
        }
    }

    private void report() {
        long lost = sent - answered;
        console.println("");
        console.println("--- " + hostName + " (" + peer + ") ibping statistics ---");
        console.println(sent + " packets transmitted, " + answered + " received, " + (sent == 0 ? 0 : lost * 100 / sent)
            + "% packet loss, time " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) + " ms");
        console.println("rtt min/avg/max = " + ms(answered == 0 ? 0 : shortestNs) + "/" + ms(answered == 0 ? 0 : totalNs / answered) + "/"
            + ms(longestNs) + " ms");
        console.out().flush();
    }

    private static String ms(long ns) {
        return String.format(Locale.ROOT, "%d.%03d", ns / 1_000_000, ns / 1000 % 1000);
    }
}
