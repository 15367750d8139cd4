// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import org.softrdma.rsocket.stream.Signalling;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/** Device resources of a stream, made when address resolution has found the device. */
final class StreamResources implements AutoCloseable {

    final CompletionChannel channel;
    final CompletionQueue cq;
    final StreamEndpoint endpoint;
    private final Transport transport;

    /** @param id identifier that the queue pair is created on; it must be closed before these resources */
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

    /** @return parameters to connect or accept with; no READs except the one that starts an iWARP connection */
    ConnectionParameters parameters() {
        return ConnectionParameters.DEFAULT.withPrivateData(endpoint.describe().toBytes())
            .withReads(0, transport == Transport.IWARP ? 1 : 0).withFlowControl(true);
    }

    @Override
    public void close() {
        endpoint.close();
        cq.close();
        channel.close();
    }
}
