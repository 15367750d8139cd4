// SPDX-License-Identifier: Apache-2.0
/**
 * State of NFS version 4.1: who is connected, what is open, what is locked. Pure: times are parameters, nothing waits. In this order:
 * {@link org.softrdma.storage.nfs4.state.Clients}, {@link org.softrdma.storage.nfs4.state.Session},
 * {@link org.softrdma.storage.nfs4.state.OpenStates}, {@link org.softrdma.storage.nfs4.state.LockStates}.
 */
package org.softrdma.storage.nfs4.state;
