// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import org.softrdma.rsocket.stream.Signalling;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/** What a stream has of its device, made when the connection manager knows the device. */
final class StreamResources implements AutoCloseable {
    private static final int RETRIES = ConnectionParameters.MAX_RETRIES;

    final CompletionChannel channel;
    final CompletionQueue cq;
    final StreamEndpoint endpoint;
    private final Transport transport;

    /** @param id gets its queue pair; it must be closed before this is */
    StreamResources(CmId id, RSocketOptions options) {
        Context device = id.verbs();
        transport = device.device().transport();
        StreamEndpoint.Plan plan = StreamEndpoint.Plan.of(options, Signalling.of(transport), device.queryDevice());
        channel = device.createCompletionChannel();
        try {
            cq = device.createCq(plan.completions(), null, channel, 0);
        } catch (RuntimeException refused) {
            channel.close();
            throw refused;
        }
        try {
            endpoint = new StreamEndpoint(plan, id.pd(), cq, attributes -> {
                id.createQp(null, attributes);
                return id.qp();
            });
        } catch (RuntimeException refused) {
            id.destroyQp();
            cq.close();
            channel.close();
            throw refused;
        }
    }

    /** What to connect or accept with. No READs, but one where the transport begins with one (iWARP). */
    ConnectionParameters parameters() {
        return new ConnectionParameters(endpoint.describe().toBytes(), 0, transport == Transport.IWARP ? 1 : 0, true, RETRIES, RETRIES,
            false, 0);
    }

    @Override
    public void close() {
        endpoint.close();
        cq.close();
        channel.close();
    }
}
