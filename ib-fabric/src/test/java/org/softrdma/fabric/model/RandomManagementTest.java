// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** Random datagrams by {@link FabricFuzzTest}. */
class RandomManagementTest {
    @Property(tries = 300)
    void shouldSurviveRandomDatagrams(@ForAll @Size(max = 2000) byte[] bytes) {
        new FabricFuzzTest().shouldSurviveAnyDatagrams(bytes);
    }
}
