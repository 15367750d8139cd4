// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Common parts of tools that serve until they are stopped. */
public final class Service {
    private Service() {
    }

    /**
     * Finds the addresses to listen at.
     *
     * @param tool  begins the message of a failure
     * @param names host names or addresses
     * @throws ToolFailure one of them is unknown
     */
    public static List<InetSocketAddress> addresses(String tool, List<String> names, int port) {
        List<InetSocketAddress> all = new ArrayList<>();
        for (String each : names) {
            try {
                all.add(new InetSocketAddress(InetAddress.getByName(each), port));
            } catch (UnknownHostException unknown) {
                throw new ToolFailure(tool + "unknown address " + each);
            }
        }
        return all;
    }

    /**
     * Returns when the process is ended by a signal, after the service was closed.
     *
     * @param close ends the service and its connections
     */
    public static void awaitEnd(Runnable close) {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            main.interrupt();
            close.run();
        }));
        try {
            while (true) {
                Thread.sleep(Long.MAX_VALUE);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
