// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

/**
 * Virtual time as an application's calls see it: time passes while they wait, and at no other moment. Without it a simulated device works
 * only when its simulator runs it.
 */
public interface VirtualTime {
    /** Current virtual time, ns. */
    long nowNs();

    /**
     * Lets devices work and time pass, until something may have changed or {@code untilNs} is reached.
     *
     * @param verb    name of the waiting verb, for the message of a simulation that cannot go on
     * @param untilNs virtual time at which the caller stops waiting, or {@link Deadline#NEVER}
     */
    void pause(String verb, long untilNs);

    /** A program polled an empty completion queue: lets devices work and, if there is nothing to do now, time pass. */
    void onEmptyPoll();
}
