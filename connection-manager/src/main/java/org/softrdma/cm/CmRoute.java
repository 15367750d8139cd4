// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

/** A route to the port of a peer, as a {@link CmResolver} found it; only the transport that the resolver belongs to looks inside. */
public interface CmRoute {
}
