// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.softrdma.rxe.Rxe;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;

/** Programs on an rxe device on the loopback interface, whose calls are those of libibverbs. After a test nothing of them is left. */
abstract class LoopbackPrograms {
    static UverbsDevice device;

    final List<FakeProgram> programs = new ArrayList<>();
    final FakeProgram program = opened();
    final FakeObjects objects = new FakeObjects(program);

    @BeforeAll
    static void startDevice() {
        device = new UverbsDevice(Rxe.device("uverbs-test", "lo"), 7);
    }

    @AfterAll
    static void stopDevice() {
        device.close();
    }

    final FakeProgram opened() {
        FakeProgram made = FakeProgram.withContext(device);
        programs.add(made);
        return made;
    }

    @AfterEach
    void shouldLeaveNothingBehind() {
        programs.forEach(FakeProgram::close);
        assertEquals(List.of(), device.filesOf(program.pid()));
        for (FakeProgram each : programs) {
            assertEquals(0, each.file.objectCount());
        }
        assertEquals(0, programs.getFirst().file.context().memory().regionCount());
    }

    static Gid gid(FakeProgram of) {
        return entry(of).gid();
    }

    static GidEntry entry(FakeProgram of) {
        return of.file.context().queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
    }

    /** Two connected queue pairs of one context, each with a receive queue. */
    final FakeObjects.Qp[] pair(int pd, FakeObjects.Cq cq, FakeObjects.Srq srq) {
        FakeObjects.Qp one = objects.qp(pd, cq, srq, FakeObjects.RC, 0x101);
        FakeObjects.Qp other = objects.qp(pd, cq, srq, FakeObjects.RC, 0x102);
        int index = entry(program).index();
        one.connect(other.number, gid(program), index);
        other.connect(one.number, gid(program), index);
        return new FakeObjects.Qp[] {one, other};
    }
}
