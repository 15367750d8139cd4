// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import org.softrdma.recording.Track;

/**
 * Copied slots of one end, for any thread.
 *
 * @param first number of the first slot
 * @param slots as {@link EventRing} describes them
 */
public record EventCopy(Track.Head head, long first, long[] slots) {
}
