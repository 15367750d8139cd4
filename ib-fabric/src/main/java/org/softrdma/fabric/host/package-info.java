// SPDX-License-Identifier: Apache-2.0
/** Fabrics in real time: {@link org.softrdma.fabric.host.FabricHost} has the lock and the timers. */
package org.softrdma.fabric.host;
