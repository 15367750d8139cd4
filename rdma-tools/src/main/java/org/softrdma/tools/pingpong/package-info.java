// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code ibv_*_pingpong} programs, interchangeable with rdma-core's at either end. Reading order: the options
 * ({@link org.softrdma.tools.pingpong.PingPong}, {@code PingPongParameters}), the resources ({@code Endpoint}), the exchange of addresses
 * ({@code AddressExchange}), the traffic ({@code PingPongLoop}).
 * Source: rdma-core 44, libibverbs/examples, read for behaviour.
 */
package org.softrdma.tools.pingpong;
