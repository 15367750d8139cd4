// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.time.Duration;
import org.softrdma.rpcrdma.wire.PrivateData;

/**
 * Options of a client.
 *
 * @param calls          calls under way at most, whatever the server grants, 1..1024
 * @param inlineBytes    longest SEND in either direction, 1024..262144, a multiple of 1024; one with the data of a call may
 *     be as long as the server receives
 * @param windows        whether memory is exposed by windows that end with the call, if the device has them: the server cannot change the
 *     memory afterwards, and may invalidate the window with its reply
 * @param connectTimeout time for a connection to be made, and made again
 * @param reverseCalls   calls of the server in work
 */
public record ClientOptions(int calls, int inlineBytes, boolean windows, Duration connectTimeout, int reverseCalls) {
    /** Defaults: 32 calls, 4 KiB inline as Linux has, windows, 30 seconds. */
    public static final ClientOptions DEFAULT = new ClientOptions(32, 4096, true, Duration.ofSeconds(30), 4);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException a value is out of its range
     */
    public ClientOptions {
        if (calls < 1 || calls > 1024 || !PrivateData.isSize(inlineBytes) || reverseCalls < 0) {
            throw new IllegalArgumentException("calls 1..1024: " + calls + "; inline bytes 1024..262144, a multiple of 1024: " + inlineBytes
                + "; reverse calls from 0: " + reverseCalls);
        }
    }

    /**
     * Replaces the number of calls under way.
     *
     * @param calls calls at most, 1..1024
     * @return new options
     */
    public ClientOptions withCalls(int calls) {
        return new ClientOptions(calls, inlineBytes, windows, connectTimeout, reverseCalls);
    }

    /**
     * Replaces the length of the longest SEND.
     *
     * @param inlineBytes bytes, 1024..262144, a multiple of 1024
     * @return new options
     */
    public ClientOptions withInlineBytes(int inlineBytes) {
        return new ClientOptions(calls, inlineBytes, windows, connectTimeout, reverseCalls);
    }

    /**
     * Replaces whether memory is exposed by windows.
     *
     * @param windows true for windows, if the device has them
     * @return new options
     */
    public ClientOptions withWindows(boolean windows) {
        return new ClientOptions(calls, inlineBytes, windows, connectTimeout, reverseCalls);
    }

    /**
     * Replaces the time for a connection to be made.
     *
     * @param connectTimeout a positive duration
     * @return new options
     */
    public ClientOptions withConnectTimeout(Duration connectTimeout) {
        return new ClientOptions(calls, inlineBytes, windows, connectTimeout, reverseCalls);
    }
}
