// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import org.softrdma.verbs.Mtu;

/** Parameters of a test; {@link CommandLine} sets them, and the ends' agreement completes them ({@link #mtu}, {@link #size}). */
final class Parameters {
    static final int DEFAULT_PORT = 18515;
    static final int ATOMIC_BYTES = 8;
    /** Largest size of {@code -a}. */
    static final int LARGEST = 1 << 23;

    /** Form of the output. */
    enum Output {
        EVERYTHING, BANDWIDTH, MESSAGE_RATE, LATENCY, JSON
    }

    final Verb verb;
    final boolean latency;

    /** Name of the server; null if this end is the server. */
    String server;
    /** Whether this end sends. The client does, unless the roles are swapped. */
    boolean sends;
    int port = DEFAULT_PORT;
    String sourceIp;
    boolean cmQueuePairs;
    boolean cmControl;
    int tos = -1;
    int retryCount = 7;

    String device;
    /** Origin of the device that was found, whose connection manager is used. */
    String origin;
    int ibPort = 1;
    int gidIndex = -1;
    boolean ipv6;
    int pkeyIndex;
    int serviceLevel;
    int trafficClass;
    int qpTimeout = 14;
    /** MTU given by the user, bytes; 0 for the port's. */
    int mtuBytes;
    /** MTU that the ends agreed on. */
    Mtu mtu;

    ConnectionType connection = ConnectionType.RC;
    int queuePairs = 1;
    boolean sharedReceives;
    int txDepth;
    int rxDepth;
    int inlineSize;
    /** READs and atomics under way; 0 for the device's limit. */
    int outstandingReads;
    boolean compareAndSwap;

    long size;
    boolean sizeAsked;
    boolean allSizes;
    int iterations;
    /** Seconds; only with {@link #timed}. */
    int duration = 5;
    boolean timed;
    /** Seconds; negative if not given. */
    int margin = -1;
    boolean duplex;
    int postList = 1;
    int cqModeration = 100;
    boolean cqModerationAsked;
    boolean events;
    int vector;
    boolean vectorAsked;
    boolean warmUp;
    int latencyGapUs;

    boolean noPeak;
    boolean gigabits;
    boolean reportBoth;
    boolean histogram;
    boolean unsorted;
    Output output = Output.EVERYTHING;
    /** Lower limit of the result; negative for none. */
    double limitBandwidth = -1;
    double limitMessageRate = -1;
    boolean jsonFile;
    String jsonFileName = "perftest_out.json";

    Parameters(Verb verb, boolean latency) {
        this.verb = verb;
        this.latency = latency;
        size = verb == Verb.ATOMIC ? ATOMIC_BYTES : latency ? 2 : 65536;
        txDepth = latency ? 1 : 128;
        rxDepth = verb == Verb.SEND ? CommandLine.DEFAULT_RX_DEPTH : 1;
        iterations = !latency && verb == Verb.WRITE ? 5000 : 1000;
    }

    boolean isServer() {
        return server == null;
    }

    /** Whether control messages travel over a connection of the connection manager. */
    boolean isControlledByCm() {
        return cmQueuePairs || cmControl;
    }

    /** Whether this end posts messages of the test. */
    boolean posts() {
        return sends || duplex || latency;
    }

    /** Whether this end receives messages of the test. */
    boolean receives() {
        return verb == Verb.SEND && (!sends || duplex || latency);
    }

    boolean isUd() {
        return connection == ConnectionType.UD;
    }

    boolean printsEverything() {
        return output == Output.EVERYTHING;
    }

    /** Bytes of the largest message of the test, for which memory is allocated. */
    int messageBytes() {
        return (int) size;
    }
}
