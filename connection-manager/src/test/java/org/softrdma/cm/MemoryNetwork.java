// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/**
 * A transport in memory and on virtual time, as simple as the contract of {@link CmTransport} allows: what one end says the other hears a
 * millisecond later, nothing is lost, a request is repeated until it is heard. Its monitor is the devices' lock. Reasons and numbers are
 * InfiniBand's.
 */
final class MemoryNetwork {
    static final long LATENCY_NS = 1_000_000;
    static final long REPEAT_NS = 100_000_000;
    static final int REPEATS = 3;
    static final long TIMEWAIT_NS = 2_000_000_000;
    static final int LONGEST_REQUEST = 56;
    static final int NO_SERVICE = 8;
    static final int CONSUMER_REJECT = 28;

    private final PriorityQueue<Due> due = new PriorityQueue<>((a, b) ->
        a.atNs != b.atNs ? Long.compare(a.atNs, b.atNs) : Long.compare(a.sequence, b.sequence));
    private final Map<InetAddress, Transport> transports = new HashMap<>();
    boolean refusesToRelisten;
    /** Addresses at which a program without RDMA has every port. */
    final Set<InetAddress> taken = new HashSet<>();
    /** Of all devices; null for a network whose hosts need none. */
    CmResolver resolver;
    /** Options of the last request for a connection. */
    CmPathOptions lastOptions;
    /** Devices that nobody hears any more. */
    private long nowNs;
    private long sequence;

    private record Due(long atNs, long sequence, Runnable what) {
    }

    private enum State { NEW, ASKING, ASKED, ANSWERED, HEARD_ANSWER, CONNECTED, DISCONNECTING, DISCONNECTED, CLOSED }

    synchronized CmTransport attach(List<InetAddress> addresses) {
        Transport transport = new Transport(addresses);
        addresses.forEach(address -> transports.put(address, transport));
        return transport;
    }

    /** Lets everything happen that happens within this time. */
    synchronized void run(long durationNs) {
        long untilNs = nowNs + durationNs;
        while (!due.isEmpty() && due.peek().atNs <= untilNs) {
            Due next = due.remove();
            nowNs = next.atNs;
            next.what.run();
        }
        nowNs = untilNs;
    }

    private void after(long ns, Runnable what) {
        due.add(new Due(nowNs + ns, sequence++, what));
    }

    private final class Transport implements CmTransport {
        private final List<InetAddress> addresses;
        private final Map<CmService, CmListener> listeners = new HashMap<>();

        Transport(List<InetAddress> addresses) {
            this.addresses = addresses;
        }

        @Override
        public List<InetAddress> addresses() {
            return addresses;
        }

        @Override
        public InetAddress ownLoopback() {
            return addresses.stream().filter(InetAddress::isLoopbackAddress).findFirst().orElse(null);
        }

        @Override
        public CmResolver resolver() {
            return resolver;
        }

        @Override
        public void relisten(CmService service) {
            if (refusesToRelisten) {
                throw new VerbsException(Errno.EADDRINUSE, "listen", "a program has the port at one of the addresses");
            }
        }

        @Override
        public void listen(CmService service, CmListener listener) {
            if (addresses.stream().anyMatch(taken::contains)) {
                throw new VerbsException(Errno.EADDRINUSE, "listen", "a program has the port");
            }
            synchronized (MemoryNetwork.this) {
                if (listeners.putIfAbsent(service, listener) != null) {
                    throw new VerbsException(Errno.EADDRINUSE, "listen", "twice");
                }
            }
        }

        @Override
        public void unlisten(CmService service) {
            synchronized (MemoryNetwork.this) {
                listeners.remove(service);
            }
        }

        @Override
        public CmConnection open(CmHandler handler) {
            Connection connection = new Connection();
            connection.handler = handler;
            return connection;
        }
    }

    private final class Connection implements CmConnection {
        private CmHandler handler;
        private State state = State.NEW;
        private Connection other;
        private ConnectionParameters own;
        private ConnectionParameters others;
        private QpType type;
        private InetSocketAddress local;
        private InetSocketAddress remote;

        @Override
        public void handler(CmHandler to) {
            handler = to;
        }

        private void require(String verb, State... fitting) {
            if (!Arrays.asList(fitting).contains(state)) {
                throw new VerbsException(Errno.EINVAL, verb, "state " + state);
            }
        }

        @Override
        public void connect(CmService service, QpType wanted, InetSocketAddress from, InetSocketAddress to, ConnectionParameters parameters,
                            CmPathOptions options) {
            synchronized (MemoryNetwork.this) {
                require("connect", State.NEW);
                if (parameters.privateData().length > LONGEST_REQUEST) {
                    throw new VerbsException(Errno.EINVAL, "connect", "too much private data");
                }
                state = State.ASKING;
                lastOptions = options;
                own = parameters;
                type = wanted;
                local = from;
                remote = to;
                ask(service, REPEATS);
            }
        }

        private void ask(CmService service, int repeats) {
            after(LATENCY_NS, () -> delivered(service));
            after(REPEAT_NS, () -> {
                if (state == State.ASKING && repeats > 0) {
                    ask(service, repeats - 1);
                } else if (state == State.ASKING && other == null) {
                    state = State.CLOSED;
                    handler.onUnreachable(-Errno.ETIMEDOUT.value(), new byte[0]);
                }
            });
        }

        private void delivered(CmService service) {
            Transport there = transports.get(remote.getAddress());
            if (there == null || state != State.ASKING || other != null) {
                return;
            }
            CmListener listener = there.listeners.get(service);
            if (listener == null) {
                refused(type == QpType.UD ? 1 : NO_SERVICE, new byte[0]);
                return;
            }
            Connection passive = new Connection();
            passive.state = State.ASKED;
            passive.type = type;
            passive.local = remote;
            passive.remote = local;
            passive.others = own;
            ConnectionParameters mirrored = own.withReads(own.initiatorDepth(), own.responderResources());
            switch (listener.onRequest(passive, new CmRequest(service, type, remote, local, mirrored))) {
                case TAKEN -> {
                    passive.other = this;
                    other = passive;
                }
                case REFUSED -> refused(type == QpType.UD ? 2 : CONSUMER_REJECT, new byte[0]);
                default -> {
                    // The request is repeated.
                }
            }
        }

        private void refused(int reason, byte[] privateData) {
            after(LATENCY_NS, () -> {
                if (state == State.ASKING || state == State.ANSWERED) {
                    state = State.CLOSED;
                    if (type == QpType.UD) {
                        handler.onUnreachable(reason, privateData);
                    } else {
                        handler.onRejected(reason, privateData);
                    }
                }
            });
        }

        @Override
        public void accept(ConnectionParameters parameters, int qkey) {
            synchronized (MemoryNetwork.this) {
                require("accept", State.ASKED);
                state = State.ANSWERED;
                own = parameters;
                after(LATENCY_NS, () -> other.heardAnswer(parameters, qkey));
            }
        }

        private void heardAnswer(ConnectionParameters answer, int qkey) {
            if (state != State.ASKING) {
                return;
            }
            others = answer;
            if (type == QpType.UD) {
                state = State.CONNECTED;
                handler.onDatagramTarget(new DatagramParameters(answer.privateData(), AddressVector.to(Gid.of(remote.getAddress()), 1),
                    answer.qpNum(), qkey));
            } else {
                state = State.HEARD_ANSWER;
                handler.onResponse(answer.withReads(answer.initiatorDepth(), answer.responderResources()));
            }
        }

        @Override
        public void establish() {
            synchronized (MemoryNetwork.this) {
                require("establish", State.HEARD_ANSWER);
                state = State.CONNECTED;
                after(LATENCY_NS, () -> {
                    if (other.state == State.ANSWERED) {
                        other.state = State.CONNECTED;
                        other.handler.onEstablished(null);
                    }
                });
            }
        }

        @Override
        public void communicationEstablished() {
            synchronized (MemoryNetwork.this) {
                if (state == State.ANSWERED) {
                    state = State.CONNECTED;
                    handler.onEstablished(null);
                }
            }
        }

        @Override
        public void reject(byte[] privateData) {
            synchronized (MemoryNetwork.this) {
                require("reject", State.ASKED, State.HEARD_ANSWER);
                state = State.CLOSED;
                other.refused(CONSUMER_REJECT, privateData);
            }
        }

        @Override
        public void disconnect() {
            synchronized (MemoryNetwork.this) {
                if (state == State.CONNECTED) {
                    state = State.DISCONNECTING;
                    after(LATENCY_NS, () -> {
                        if (other.state == State.CONNECTED || other.state == State.ANSWERED) {
                            other.state = State.DISCONNECTED;
                            other.handler.onDisconnected(0);
                        } else {
                            // Both began at once: the other's request is as good as its answer.
                            other.heardEnd();
                        }
                    });
                } else if (state == State.DISCONNECTED) {
                    state = State.CLOSED;
                    after(TIMEWAIT_NS, () -> timewaitOver());
                    after(LATENCY_NS, other::heardEnd);
                } else {
                    require("disconnect", State.CONNECTED, State.DISCONNECTED);
                }
            }
        }

        private void heardEnd() {
            if (state == State.DISCONNECTING) {
                state = State.CLOSED;
                handler.onDisconnected(0);
                after(TIMEWAIT_NS, this::timewaitOver);
            }
        }

        private void timewaitOver() {
            if (handler != null) {
                handler.onTimewaitExit();
            }
        }

        @Override
        public boolean movesQueuePair() {
            return false;
        }

        @Override
        public QpAttributes qpAttributes(QpState to, CmPathOptions options) {
            synchronized (MemoryNetwork.this) {
                require("init_qp_attr", State.ASKED, State.HEARD_ANSWER, State.CONNECTED);
                QpAttributes attributes = new QpAttributes().state(to);
                return switch (to) {
                    case INIT -> attributes.pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_WRITE);
                    case RTR -> attributes.addressVector(AddressVector.to(Gid.of(remote.getAddress()), 1)).pathMtu(Mtu.MTU_1024)
                        .destQpn(others.qpNum()).rqPsn(7).maxDestRdAtomic(others.initiatorDepth())
                        .minRnrTimer(options.minRnrTimer() == CmPathOptions.UNSET ? 0 : options.minRnrTimer());
                    default -> attributes.sqPsn(8).timeout(options.ackTimeout() == CmPathOptions.UNSET ? 19 : options.ackTimeout())
                        .retryCount(7).rnrRetry(others.rnrRetryCount()).maxRdAtomic(others.responderResources());
                };
            }
        }

        @Override
        public void close() {
            synchronized (MemoryNetwork.this) {
                if (state == State.ASKED || state == State.HEARD_ANSWER || state == State.ANSWERED) {
                    other.refused(CONSUMER_REJECT, new byte[0]);
                } else if (state == State.CONNECTED && type != QpType.UD) {
                    disconnect();
                } else if (state == State.DISCONNECTED) {
                    disconnect();
                }
                state = State.CLOSED;
                handler = null;
            }
        }
    }
}
