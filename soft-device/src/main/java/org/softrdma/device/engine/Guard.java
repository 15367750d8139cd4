// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.engine;

import org.softrdma.device.Counters;
import org.softrdma.device.qp.FaultDomain;

/**
 * Runs steps of protocol code and contains their failures: a broken invariant, or an access to a truncated mapped file
 * ({@link InternalError}), stops one part of the device and leaves the rest running.
 */
public final class Guard {
    private static final System.Logger LOG = System.getLogger(Guard.class.getName());

    private final Counters.Counter internalErrors;

    /**
     * A step of protocol code. Steps are constants of their class and capture nothing, so that a call allocates nothing and can be inlined.
     *
     * @param <C> the caller, for the step's other inputs
     * @param <T> the part of the device that the step belongs to
     */
    @FunctionalInterface
    public interface Step<C, T extends FaultDomain> {
        /**
         * Runs the step.
         *
         * @return number of things done; 0 if there was nothing to do
         */
        int run(C caller, T part, long nowNs);
    }

    /**
     * Creates the guard of a device.
     *
     * @param internalErrors counts failures
     */
    Guard(Counters.Counter internalErrors) {
        this.internalErrors = internalErrors;
    }

    /**
     * Runs a step and contains its failure.
     *
     * @return the step's result; 0 if it failed
     */
    public <C, T extends FaultDomain> int run(Step<C, T> step, C caller, T part, long nowNs) {
        try {
            return step.run(caller, part, nowNs);
        } catch (RuntimeException | InternalError broken) {
            contain(part, broken);
            return 0;
        }
    }

    private void contain(FaultDomain part, Throwable cause) {
        internalErrors.count();
        LOG.log(System.Logger.Level.ERROR, "internal error, " + part.faultOutcome() + "; please report this", cause);
        part.onFault(cause);
    }
}
