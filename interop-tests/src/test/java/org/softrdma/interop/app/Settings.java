// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.util.Map;
import org.softrdma.interop.Json;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpType;

/**
 * Attributes of one side's queue pair and region. The defaults are those of the tools, with room for reads and atomics.
 *
 * @param service      RC, UC or UD
 * @param size         bytes of the region
 * @param regionAccess bits of {@link AccessFlags}
 * @param qpAccess     bits of {@link AccessFlags}
 * @param psn          first PSN this side sends
 * @param srq          number of receives in the shared receive queue, 0 for a receive queue of its own
 */
record Settings(QpType service, int size, int regionAccess, int qpAccess, int inline, Mtu mtu, int psn, int timeout, int retryCount,
                int rnrRetry, int minRnrTimer, int maxRdAtomic, int maxDestRdAtomic, int srq) {
    static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    /** Q_Key of UD queue pairs: the one that the kernel's connection manager gives to members of an IP group. */
    static final int QKEY = 0x01234567;
    /** Bytes before a datagram's payload in its receive. */
    static final int GRH = 40;

    static Settings defaults() {
        return new Settings(QpType.RC, 65536, ACCESS, AccessFlags.REMOTE_ANY, 128, Mtu.MTU_1024, 0x123456, 14, 7, 7, 12, 16, 16, 0);
    }

    Settings service(QpType type) {
        return new Settings(type, size, regionAccess, qpAccess, inline, mtu, psn, timeout, retryCount, rnrRetry, minRnrTimer, maxRdAtomic,
            maxDestRdAtomic, srq);
    }

    /** Settings whose region and queue pair permit FLUSH, which kernels before 6.4 do not support. */
    Settings flushable() {
        return regionAccess(regionAccess | AccessFlags.FLUSH_GLOBAL).qpAccess(qpAccess | AccessFlags.FLUSH_GLOBAL);
    }

    Settings size(int bytes) {
        return new Settings(service, bytes, regionAccess, qpAccess, inline, mtu, psn, timeout, retryCount, rnrRetry, minRnrTimer,
            maxRdAtomic, maxDestRdAtomic, srq);
    }

    Settings regionAccess(int access) {
        return new Settings(service, size, access, qpAccess, inline, mtu, psn, timeout, retryCount, rnrRetry, minRnrTimer, maxRdAtomic,
            maxDestRdAtomic, srq);
    }

    Settings qpAccess(int access) {
        return new Settings(service, size, regionAccess, access, inline, mtu, psn, timeout, retryCount, rnrRetry, minRnrTimer,
            maxRdAtomic, maxDestRdAtomic, srq);
    }

    Settings mtu(Mtu bytes) {
        return new Settings(service, size, regionAccess, qpAccess, inline, bytes, psn, timeout, retryCount, rnrRetry, minRnrTimer,
            maxRdAtomic, maxDestRdAtomic, srq);
    }

    Settings psn(int first) {
        return new Settings(service, size, regionAccess, qpAccess, inline, mtu, first, timeout, retryCount, rnrRetry, minRnrTimer,
            maxRdAtomic, maxDestRdAtomic, srq);
    }

    Settings retries(int timeoutCode, int transport, int receiverNotReady) {
        return new Settings(service, size, regionAccess, qpAccess, inline, mtu, psn, timeoutCode, transport, receiverNotReady,
            minRnrTimer, maxRdAtomic, maxDestRdAtomic, srq);
    }

    Settings fetches(int asRequester, int asResponder) {
        return new Settings(service, size, regionAccess, qpAccess, inline, mtu, psn, timeout, retryCount, rnrRetry, minRnrTimer,
            asRequester, asResponder, srq);
    }

    Settings srq(int receives) {
        return new Settings(service, size, regionAccess, qpAccess, inline, mtu, psn, timeout, retryCount, rnrRetry, minRnrTimer,
            maxRdAtomic, maxDestRdAtomic, receives);
    }

    Map<String, Object> json(int gidIndex) {
        return Json.object("op", "open", "service", service.name(), "qkey", QKEY, "gidIndex", gidIndex, "size", size, "regionAccess",
            regionAccess, "qpAccess", qpAccess, "inline", inline, "mtu", mtu.value(), "psn", psn, "timeout", timeout, "retryCount",
            retryCount, "rnrRetry", rnrRetry, "minRnrTimer", minRnrTimer, "maxRdAtomic", maxRdAtomic, "maxDestRdAtomic", maxDestRdAtomic,
            "srq", srq);
    }
}
