// SPDX-License-Identifier: Apache-2.0
/**
 * The common part of all soft devices. Two small things that everything uses are here: named counters, and the random numbers of faults
 * and simulations. Reading order of the packages: {@code queue} (rings of work requests and completions), {@code memory} (keys and
 * regions), {@code qp} (the life cycle of a queue pair), {@code agent} (who does a device's work, and when), {@code engine} (one round of
 * that work), {@code verbs} (the objects an application holds), {@code cm} (connections by address), {@code config} and {@code inspect}
 * (which devices there are, and what is on them), {@code sim} (virtual time).
 */
package org.softrdma.device;
