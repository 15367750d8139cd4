// SPDX-License-Identifier: Apache-2.0

/** Packets between processes of one user on one host through rings in shared memory. */
package org.softrdma.link.shm;
