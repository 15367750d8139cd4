// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

/** A context whose device supports connections by address. */
public interface CmContext {
    /** Returns the transport, one for all contexts of a device. */
    CmTransport cmTransport();
}
