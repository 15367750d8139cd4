// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code ibv_*_pingpong} programs, interchangeable with rdma-core's at either end. In reading order: the options
 * ({@link org.softrdma.tools.pingpong.PingPong}, {@code PingPongParameters}), what is opened ({@code Endpoint}), how the two ends
 * learn of each other ({@code AddressExchange}), the traffic ({@code PingPongLoop}).
 * Source: rdma-core 44, libibverbs/examples, read for behaviour.
 */
package org.softrdma.tools.pingpong;
