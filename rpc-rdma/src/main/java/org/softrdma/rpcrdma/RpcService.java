// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

/** Executes the calls of an {@link RpcRdmaServer}'s clients. */
@FunctionalInterface
public interface RpcService {
    /**
     * Executes a call, now or later: the exchange may be completed on any thread. This method is called on the thread of the connection,
     * which processes no other message before it returns; a service that waits, also for the reply to a reverse call, needs threads of its
     * own.
     *
     * <p>A {@link java.nio.BufferOverflowException} fails the exchange, since its reply is too long. So does another exception, which is
     * logged.
     *
     * @param exchange the call, and the place of its reply
     */
    void serve(RpcExchange exchange);

    /**
     * Reports that a connection has ended. No call of it arrives any more; those in work may still be completed, without effect.
     *
     * @param connection that has ended
     */
    default void onDisconnected(RpcConnection connection) {
    }
}
