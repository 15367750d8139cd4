// SPDX-License-Identifier: Apache-2.0
/**
 * A simulated InfiniBand subnet as those see it that show one: the laboratory uses the interface, and the module of fabrics provides it,
 * so that neither depends on the other.
 *
 * <p>Reading order: {@link org.softrdma.link.subnet.SubnetSimulation}, {@link org.softrdma.link.subnet.SubnetObserver},
 * {@link org.softrdma.link.subnet.SubnetSimulator} (the service that makes one).
 */
package org.softrdma.link.subnet;
