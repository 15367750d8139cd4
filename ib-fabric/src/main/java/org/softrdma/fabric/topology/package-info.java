// SPDX-License-Identifier: Apache-2.0
/**
 * Subnets on paper: {@link org.softrdma.fabric.topology.Topology}, read from and written to the files that ibnetdiscover prints and ibsim
 * reads, or made in well-known forms. Pure.
 */
package org.softrdma.fabric.topology;
