// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

/**
 * The program that has an object, if it is not the process that reports it: a program of the daemon.
 *
 * @param pid     its process ID
 * @param command its name, as in {@code /proc/PID/comm}
 */
public record Owner(int pid, String command) {
    /** Names of the attributes that name the process. */
    public static final String PID = "pid";
    /** Name of the process's program. */
    public static final String COMMAND = "comm";

    /**
     * Names the owner of a resource.
     *
     * @param owner null for the process that reports it
     */
    public static Resource name(Resource resource, Owner owner) {
        return owner == null ? resource : resource.with(PID, owner.pid).with(COMMAND, owner.command);
    }
}
