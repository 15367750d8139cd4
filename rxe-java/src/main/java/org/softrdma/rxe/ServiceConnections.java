// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.cm.RequestListener;
import org.softrdma.rxe.cm.SidrRequest;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * RC connections of a device on an InfiniBand subnet to services of any protocol: by service ID and path instead of IP address and port,
 * and with the whole private data for the protocol. Any thread. Source: IBA vol 1 chapter 12.
 */
public final class ServiceConnections {
    private final RxeCm cm;

    private ServiceConnections(RxeCm cm) {
        this.cm = cm;
    }

    /**
     * The connections of a device.
     *
     * @param context of the device
     * @throws VerbsException EOPNOTSUPP: the device is not on a subnet
     */
    public static ServiceConnections of(Context context) {
        if (context instanceof RxeContext open && open.running().link().subnetPort() != null) {
            return new ServiceConnections(open.running().cm());
        }
        throw new VerbsException(Errno.EOPNOTSUPP, "connect", context.device().name() + " is not on an InfiniBand subnet");
    }

    /**
     * A request for a connection.
     *
     * @param port        GID of the port that it came from
     * @param pkey        P_Key of the connection's packets, u16
     * @param privateData of the REQ, 92 bytes
     */
    public record Request(Gid port, int pkey, byte[] privateData) {
    }

    /** Receives requests. Called with the device's lock held; must not block, and must not call the device. */
    public interface Listener {
        /**
         * Receives a request.
         *
         * @param end its {@link CmConnection#handler} must be set before this returns TAKEN; it is accepted, rejected or closed later
         */
        RequestVerdict onRequest(CmConnection end, Request request);
    }

    /**
     * Listens for requests to a service.
     *
     * @throws VerbsException EADDRINUSE: it has a listener
     */
    public void listen(long serviceId, Listener listener) {
        cm.command(nowNs -> cm.manager().listen(serviceId, new RequestListener() {
            @Override
            public RequestVerdict onRequest(Connection connection) {
                if (cm.rejectsMtu(connection)) {
                    return RequestVerdict.TAKEN;
                }
                return listener.onRequest(new RxeCmConnection(cm, connection),
                    new Request(connection.request().local(), connection.request().pkey(), connection.request().privateData()));
            }

            @Override
            public RequestVerdict onSidrRequest(SidrRequest request) {
                return RequestVerdict.REFUSED;
            }
        }));
    }

    /** Ends listening; connections and requests stay. */
    public void unlisten(long serviceId) {
        cm.command(nowNs -> cm.manager().unlisten(serviceId));
    }

    /**
     * Requests a connection.
     *
     * @param path       PathRecord, from offset 0
     * @param parameters with the number of the queue pair
     * @param handler    may be called before this returns
     * @throws VerbsException no route to the peer; ENOMEM: the device has too many connections; EINVAL: too much private data
     */
    public CmConnection connect(ByteBuffer path, long serviceId, ConnectionParameters parameters, CmHandler handler) {
        RxeCmConnection end = new RxeCmConnection(cm);
        end.handler(handler);
        end.connect(serviceId, new SubnetRoute(path), parameters);
        return end;
    }
}
