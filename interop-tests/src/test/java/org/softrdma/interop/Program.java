// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;

/**
 * Command lines of a program that exists in the guest and among our tools. {@code HOST} stands for the server's address, {@code ANY} for
 * the wildcard address, {@code PORT} for the case's port.
 */
record Program(String server, String client) {
    private static final int PINGS = 10;
    private static final int PING_BYTES = 64;

    static final Program RPING = new Program("rping -s -v -a ANY -p PORT", "rping -c -v -C " + PINGS + " -a HOST -p PORT");
    static final Program LONG_RPING = new Program("rping -s -C 100 -S 65000 -V -a ANY -p PORT",
        "rping -c -C 100 -S 65000 -V -a HOST -p PORT");
    static final Program UCMATOSE = new Program("ucmatose -b ANY -p PORT", "ucmatose -s HOST -p PORT");
    static final Program MANY_UCMATOSE = new Program("ucmatose -c 20 -b ANY -p PORT", "ucmatose -c 20 -s HOST -p PORT");
    static final Program RDMA_CLIENT = new Program("rdma_server -s ANY -p PORT", "rdma_client -s HOST -p PORT");
    static final Program RDMA_XCLIENT = new Program("rdma_xserver -p PORT", "rdma_xclient -s HOST -p PORT");
    static final Program RIOSTREAM = new Program("riostream -b ANY -p PORT -T v -S 1000 -C 20 -I 3",
        "riostream -s HOST -p PORT -T v -S 1000 -C 20 -I 3");
    static final Program CMTIME = new Program("cmtime -b ANY -p PORT", "cmtime -s HOST -p PORT");

    /** Runs rstream with data that the receiver verifies. */
    static Program rstream(String options) {
        return new Program("rstream -b ANY -p PORT -T v " + options, "rstream -s HOST -p PORT -T v " + options);
    }

    /**
     * Runs fio with blocks of 64 KiB. To its engine, the end that "reads" is the server, whatever the verb.
     *
     * @param server further options of the server, as those of the client
     */
    static Program fio(String verb, String server, String client) {
        String line = "fio --ioengine=rdma --port=PORT --bs=64k --verb=" + verb;
        return new Program(line + " --name=server --rw=read " + server, line + " --name=client --hostname=HOST --rw=write " + client);
    }

    /** Output of each of {@link #RPING}'s ends for its pings; the server's lines have the prefix "server ". */
    static List<String> pings() {
        List<String> pings = new ArrayList<>();
        for (int i = 0; i < PINGS; i++) {
            pings.add("ping data: " + pingText(i) + "\n");
        }
        return pings;
    }

    /** Text of a ping. A trailing NUL fills the buffer; the letters roll from A to z, one further with each ping. */
    private static String pingText(int ping) {
        StringBuilder text = new StringBuilder("rdma-ping-" + ping + ": ");
        for (char letter = (char) ('A' + ping); text.length() < PING_BYTES - 1; letter = letter == 'z' ? 'A' : (char) (letter + 1)) {
            text.append(letter);
        }
        return text.toString();
    }
}
