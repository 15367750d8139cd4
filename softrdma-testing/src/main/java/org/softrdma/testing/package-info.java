// SPDX-License-Identifier: Apache-2.0
/**
 * Fabrics for tests of RDMA programs, without a test framework.
 *
 * <p>Reading order: {@link org.softrdma.testing.Fabric}, the network, with {@link org.softrdma.testing.FabricOptions};
 * {@link org.softrdma.testing.RdmaPair} and {@link org.softrdma.testing.RdmaEnd}, connected queue pairs;
 * {@link org.softrdma.testing.Counters} and {@link org.softrdma.testing.Leak}, what a test can check afterwards. Behind them: VirtualFabric
 * with Turns (threads on virtual time), SocketFabric, SoftManager (connections by address), TestDevice and Leaks.
 */
package org.softrdma.testing;
