// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;

/** Any bytes as an ioctl: judged, and what is judged good can be read. How to search is described in {@code WireFuzzTest}. */
class IoctlFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        MemorySegment copy = MemorySegment.ofArray(bytes);
        IoctlBundle bundle = new IoctlBundle();
        if (!bundle.parse(copy, bytes.length)) {
            check(bundle.count() == 0 && bundle.errno() != 0 && bundle.indexOf(0) < 0);
            return;
        }
        check(IoctlHeader.BYTES + bundle.count() * IoctlAttribute.BYTES <= bytes.length);
        check(bundle.count() <= IoctlBundle.MAX_ATTRIBUTES);
        boolean mandatory = false;
        for (int i = 0; i < bundle.count(); i++) {
            mandatory |= (bundle.flags(i) & IoctlAttribute.MANDATORY) != 0;
            check(bundle.indexOf(bundle.id(i)) <= i);
            check(bundle.len(i) >= 0 && bundle.elementId(i) >= 0);
            bundle.data(i);
        }
        check((bundle.refusal(0) == IoctlBundle.EPROTONOSUPPORT) == mandatory);
        bundle.refusal(-1L);
        check(bundle.object() >= 0 && bundle.method() >= 0);
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
