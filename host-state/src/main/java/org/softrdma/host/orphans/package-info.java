// SPDX-License-Identifier: Apache-2.0
/**
 * Records of what has to be done for a process that was killed. A process keeps a file of entries, one for each connection, and holds a
 * lock on it; an unlocked file belongs to a process that has ended without removing it. Another process of the user then takes the entries
 * and removes the file.
 *
 * <p>Reading order: {@link org.softrdma.host.orphans.ConnectionRecord}, the file of a living process;
 * {@link org.softrdma.host.orphans.OrphanedRecords}, the search for those of ended ones; {@link org.softrdma.host.orphans.OrphanedFile},
 * what is common to all files of killed processes.
 */
package org.softrdma.host.orphans;
