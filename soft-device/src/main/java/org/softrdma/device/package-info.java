// SPDX-License-Identifier: Apache-2.0
/**
 * The common part of all soft devices. This package has the named counters, and the random numbers of faults and simulations.
 *
 * <p>Reading order of the packages: {@code queue} (rings of work requests and completions), {@code memory} (keys and regions), {@code qp}
 * (the life cycle of a queue pair), {@code agent} (threads and locks of a device), {@code threads} (the choice of threads by the program),
 * {@code engine} (one round of work), {@code verbs} (the objects of an application), {@code cm} (connections by address), {@code sim}
 * (virtual time).
 */
package org.softrdma.device;
