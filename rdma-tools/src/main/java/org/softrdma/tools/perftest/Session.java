// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.PageSize;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.VerbsException;

/**
 * A test with a peer, from the first exchange to the last. The sequence of exchanges is the original's and differs between the tests: with
 * one more or one less, an end would wait for ever.
 */
final class Session {
    private static final int CACHE_LINE = 64;
    /** Upper bound that no existing device exceeds. */
    private static final int LARGEST_PAGE = 1 << 24;
    private static final int LARGEST_LINE = 1 << 12;
    private static final int EXIT_RUN_FAILED = 17;

    private final Parameters parameters;
    private final Console console;
    private final Context context;
    private final Peer peer;
    private final Results results;
    private final TestInfo info;
    private Endpoint endpoint;
    private Connection connection;
    private List<Keys> own;
    private List<Keys> peers;
    /** Last measurement of this end. */
    private BandwidthReport measured = BandwidthReport.NONE;

    /**
     * Creates a session.
     *
     * @param context of the device, whose limits were checked
     */
    Session(Parameters parameters, Console console, Context context, Peer peer) {
        this.parameters = parameters;
        this.console = console;
        this.context = context;
        this.peer = peer;
        info = new TestInfo(parameters, context.device().name(), context.device().transport());
        results = new Results(parameters, console, info);
    }

    /**
     * Runs the test.
     *
     * @throws ToolFailure for any failure, at this end or at the peer
     */
    void run(Mtu ownMtu) {
        peer.exchangeVersions();
        int pageBytes = peer.largerOf(PageSize.bytes(), "Page Size");
        int lineBytes = peer.largerOf(CACHE_LINE, "Cache Line Size");
        requirePlausible(pageBytes, lineBytes);
        parameters.mtu = peer.smallerOf(ownMtu);
        settleDatagramSize();

        endpoint = new Endpoint(parameters, pageBytes, lineBytes);
        connection = parameters.cmQueuePairs ? new CmConnection(endpoint, peer) : new DirectConnection(endpoint, context);
        try {
            connection.open();
            own = ownKeys(RandomGenerator.getDefault());
            results.say(info.heading());
            getToKnowEachOther();
            if (parameters.latency) {
                measureLatency();
            } else {
                measureBandwidth();
            }
            connection.disconnect();
            endpoint.close();
        } finally {
            endpoint.abandon();
        }
    }

    /** Checks the page and cache line sizes that the ends agreed on, which determine the memory's size. */
    private static void requirePlausible(int pageBytes, int lineBytes) {
        if (pageBytes > LARGEST_PAGE || lineBytes > LARGEST_LINE || Integer.bitCount(pageBytes) != 1 || Integer.bitCount(lineBytes) != 1) {
            throw new ToolFailure("The peer's pages have " + pageBytes + " bytes and its cache lines " + lineBytes
                + "\nIs it an ib_* program of perftest?");
        }
    }

    /** Limits the size of datagrams to one packet. */
    private void settleDatagramSize() {
        int largest = parameters.mtu.bytes();
        if (!parameters.isUd() || parameters.size <= largest) {
            return;
        }
        if (parameters.sizeAsked && !parameters.allSizes) {
            throw new ToolFailure(" Max message size in UD cannot be greater than MTU \n Couldn't get context for the device");
        }
        console.error(" Max msg size in UD is MTU " + largest + "\n Changing to this MTU");
        parameters.size = largest;
    }

    private List<Keys> ownKeys(RandomGenerator random) {
        Context on = endpoint.context();
        if (parameters.gidIndex < 0) {
            parameters.gidIndex = GidChoice.best(on, parameters.ibPort, parameters.ipv6);
        }
        Gid gid = on.queryGid(parameters.ibPort, parameters.gidIndex);
        int lid = on.queryPort(parameters.ibPort).lid();
        List<Keys> keys = new ArrayList<>();
        for (int i = 0; i < parameters.queuePairs; i++) {
            keys.add(endpoint.keys(i, lid, random.nextInt(1 << 24), gid));
        }
        return keys;
    }

    private void getToKnowEachOther() {
        boolean oneSided = parameters.verb != Verb.SEND;
        if (oneSided && parameters.latency) {
            meet();
        }
        peers = own.stream().map(peer::exchangeKeys).toList();
        if (endpoint.credits() != null) {
            endpoint.credits().tellTo(peers);
        }
        connection.connect(own, peers);
        if (!oneSided) {
            meet();
        }
        own.forEach(keys -> results.say(keys.describe("local", parameters.verb)));
        // A second time, after all queue pairs are connected.
        for (Keys keys : own) {
            results.say(peer.exchangeKeys(keys).describe("remote", parameters.verb));
        }
        if (oneSided) {
            meet();
        }
    }

    private void meet() {
        peer.meet(own.getFirst());
    }

    // ---- sizes ----

    private interface OneSize {
        void measure(int messageBytes);
    }

    /** One size, or all powers of two up to what was asked for. */
    private void forEachSize(OneSize test) {
        if (!parameters.allSizes || parameters.verb == Verb.ATOMIC) {
            test.measure(parameters.messageBytes());
            return;
        }
        for (int messageBytes = 2; messageBytes <= parameters.messageBytes(); messageBytes *= 2) {
            test.measure(messageBytes);
        }
    }

    private void run(Measurement measurement, int messageBytes) {
        try (LiveRate _ = LiveRate.of(parameters, measurement.progress(), messageBytes, console)) {
            measurement.run();
        } catch (VerbsException refused) {
            throw asTheOriginalEnds(new ToolFailure("Couldn't post send or receive", refused));
        } catch (ToolFailure failed) {
            throw asTheOriginalEnds(failed);
        }
    }

    /** Failure of a measurement; message and exit code differ between the originals. */
    private ToolFailure asTheOriginalEnds(ToolFailure failed) {
        boolean failsWith17 = switch (parameters.verb) {
            case SEND -> true;
            case WRITE -> false;
            case READ -> parameters.latency || parameters.allSizes;
            case ATOMIC -> parameters.latency;
        };
        if (failsWith17) {
            return new ToolFailure(EXIT_RUN_FAILED, failed.getMessage());
        }
        if (parameters.latency) {
            return new ToolFailure(failed.getMessage() + "\nTest exited with Error");
        }
        return new ToolFailure(failed.getMessage() + (parameters.verb == Verb.ATOMIC ? "\n Error occurred in run_iter function"
            : "\n Failed to complete run_iter_bw function successfully"));
    }

    // ---- bandwidth ----

    private void measureBandwidth() {
        boolean oneSided = parameters.verb != Verb.SEND;
        results.header();
        if (oneSided && !parameters.sends && !parameters.duplex) {
            serveBandwidth();
            return;
        }
        Limits limits = new Limits(parameters);
        forEachSize(oneSided ? size -> oneSidedBandwidth(size, limits) : size -> sendBandwidth(size, limits));
        results.line();
        if (oneSided && !parameters.duplex) {
            meet();
            peer.exchangeReports(measured);
        }
        peer.finish(own.getFirst());
        limits.require();
    }

    /** Serves a peer that does everything and reports its measurement. */
    private void serveBandwidth() {
        meet();
        results.bandwidth(peer.exchangeReports(BandwidthReport.NONE));
        peer.finish(own.getFirst());
        results.line();
    }

    private void oneSidedBandwidth(int messageBytes, Limits limits) {
        BandwidthRecorder recorder = new BandwidthRecorder(parameters);
        if (parameters.warmUp) {
            new BandwidthSender(endpoint, recorder, outgoing(messageBytes)).warmUp();
        }
        BandwidthSender sender = new BandwidthSender(endpoint, recorder, outgoing(messageBytes));
        if (parameters.duplex) {
            meet();
        }
        run(sender, messageBytes);
        if (parameters.duplex && parameters.allSizes && parameters.verb != Verb.ATOMIC) {
            meet();
        }
        report(recorder.report(messageBytes), parameters.duplex, limits);
    }

    private void sendBandwidth(int messageBytes, Limits limits) {
        BandwidthRecorder recorder = new BandwidthRecorder(parameters);
        if (endpoint.credits() != null) {
            endpoint.credits().restart();
        }
        Outgoing[] outgoing = parameters.posts() ? outgoing(messageBytes) : null;
        Incoming[] incoming = parameters.receives() ? Incoming.all(endpoint, messageBytes) : null;
        Measurement measurement;
        if (parameters.duplex) {
            measurement = new BandwidthDuplex(endpoint, recorder, outgoing, incoming);
        } else if (parameters.sends) {
            measurement = new BandwidthSender(endpoint, recorder, outgoing);
        } else {
            measurement = new BandwidthReceiver(endpoint, recorder, incoming);
        }
        meet();
        run(measurement, messageBytes);
        report(recorder.report(messageBytes), parameters.duplex && !parameters.timed, limits);
        if (parameters.allSizes) {
            meet();
        }
    }

    /**
     * Reports a measurement.
     *
     * @param withPeers both directions are measured, each at one end
     */
    private void report(BandwidthReport ours, boolean withPeers, Limits limits) {
        measured = ours;
        if (!withPeers) {
            results.bandwidth(ours);
            limits.take(ours);
            return;
        }
        BandwidthReport theirs = peer.exchangeReports(ours);
        results.bandwidth(ours.plus(theirs));
        limits.take(ours.plus(theirs));
        if (parameters.reportBoth && !parameters.allSizes) {
            results.bothWays(ours, theirs);
        }
    }

    private Outgoing[] outgoing(int messageBytes) {
        return Outgoing.all(endpoint, peers, messageBytes);
    }

    // ---- latency ----

    private void measureLatency() {
        if (parameters.verb.fetches() && !parameters.sends) {
            // Waits until the client has finished reading.
            peer.finish(own.getFirst());
            results.line();
            return;
        }
        results.header();
        forEachSize(this::latency);
        results.line();
        // No exchange after WRITEs: each end detects the end of the test itself.
        if (parameters.verb != Verb.WRITE) {
            peer.finish(own.getFirst());
        }
    }

    private void latency(int messageBytes) {
        LatencyRecorder recorder = new LatencyRecorder(parameters);
        Outgoing outgoing = outgoing(messageBytes)[0];
        Measurement measurement = switch (parameters.verb) {
            case SEND -> new SendLatency(endpoint, recorder, outgoing, Incoming.all(endpoint, messageBytes)[0]);
            case WRITE -> new WriteLatency(endpoint, recorder, outgoing, messageBytes);
            case READ, ATOMIC -> new FetchLatency(endpoint, recorder, outgoing);
        };
        if (parameters.verb == Verb.SEND) {
            meet();
        }
        run(measurement, messageBytes);
        results.latency(messageBytes, recorder);
    }
}
