// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.softrdma.tools.cli.JsonResult;

/**
 * Result of a ping-pong.
 *
 * @param device       name of the device
 * @param elapsedNs    from the first message to the last
 * @param invalidPages of the buffer; empty also without validation
 */
record PingPongResult(PingPongParameters parameters, String device, long elapsedNs, List<Long> invalidPages) {
    /** @return elapsed time in single precision, as in the original */
    private float usec() {
        return elapsedNs / 1000;
    }

    private long iterations() {
        return Integer.toUnsignedLong(parameters.iterations);
    }

    private long bytes() {
        return Integer.toUnsignedLong(parameters.size) * iterations() * 2;
    }

    /** @return the lines of the original */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append(bytes()).append(" bytes in ").append(fixed(usec() / 1e6)).append(" seconds = ").append(fixed(bytes() * 8.0 / usec()))
            .append(" Mbit/sec\n");
        text.append(parameters.iterations).append(" iters in ").append(fixed(usec() / 1e6)).append(" seconds = ")
            .append(fixed(usec() / iterations())).append(" usec/iter\n");
        invalidPages.forEach(page -> text.append("invalid data in page ").append(page).append('\n'));
        return text.toString();
    }

    /** Formats as C's {@code %.2f}, infinities and NaN included. */
    private static String fixed(double value) {
        if (Double.isNaN(value)) {
            return "-nan";
        }
        return Double.isInfinite(value) ? "inf" : String.format(Locale.ROOT, "%.2f", value);
    }

    String json() {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("test", parameters.service + "_pingpong");
        info.put("Device", device);
        info.put("Number_of_qps", parameters.queuePairs);
        info.put("RX_depth", parameters.rxDepth);
        info.put("GID_index", parameters.gidIndex);
        Map<String, Object> results = new LinkedHashMap<>();
        results.put("MsgSize", Integer.toUnsignedLong(parameters.size));
        results.put("n_iterations", iterations());
        results.put("seconds", JsonResult.fixed(usec() / 1e6, 6));
        results.put("Mbit_per_sec", JsonResult.fixed(bytes() * 8.0 / usec(), 2));
        results.put("usec_per_iter", JsonResult.fixed(usec() / iterations(), 2));
        results.put("invalid_pages", invalidPages.size());
        return JsonResult.of(info, results) + "\n";
    }
}
