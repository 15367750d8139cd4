// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import org.softrdma.verbs.VerbsException;

/** How the reliable queue pairs of a device find a loss that the peer has not reported. */
public enum Recovery {
    /** By the ACK timeout alone: a request without an answer is transmitted at most retry_cnt + 1 times. IBA vol 1 §9.9.2.1.1 */
    TIMEOUT,
    /**
     * By up to three probes before each ACK timeout, once the round trip is known. A probe repeats the oldest request and uses up no retry,
     * so a request without an answer is transmitted up to (retry_cnt + 1) · 4 times.
     */
    EARLY;

    /** Lines of {@code rdma link set help} about the values. */
    static final String SYNTAX = """
        timeout: a request without an answer is sent retry_cnt + 1 times, one ACK timeout apart
        early: also up to three times before each ACK timeout, when the peer is silent for longer than usual
        """;

    /**
     * Reads the word that {@link #word} gives.
     *
     * @param word of a value
     * @return the value
     * @throws VerbsException EINVAL: no value has that word
     */
    public static Recovery parse(String word) {
        return OptionWord.parse(Recovery.class, "recovery", word);
    }

    /** {@return the word of the value in the options of a link} */
    public String word() {
        return OptionWord.of(this);
    }
}
