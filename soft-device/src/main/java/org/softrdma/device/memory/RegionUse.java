// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

/** An observer of the use of a region, and of the windows bound to it. */
public interface RegionUse {
    /**
     * The region's key was used. Any thread.
     *
     * @param rights bits of {@link org.softrdma.verbs.AccessFlags} that the use needs: REMOTE_* for a peer's; 0 to read memory locally
     */
    void onUse(int rights);
}
