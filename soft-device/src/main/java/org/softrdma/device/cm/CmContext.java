// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

/** A context whose device can carry connections by address. */
public interface CmContext {
    /** The same for all contexts of a device. */
    CmTransport cmTransport();
}
