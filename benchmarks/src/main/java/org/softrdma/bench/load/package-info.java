// SPDX-License-Identifier: Apache-2.0
/** Loads of the measuring processes: our device under load, and plain Java doing the same without a protocol. */
package org.softrdma.bench.load;
