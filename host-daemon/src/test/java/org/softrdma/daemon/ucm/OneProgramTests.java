// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a program with one event channel, on a RoCE device. In the end no identifier may be left. */
abstract class OneProgramTests {
    @TempDir
    private Path state;
    CmPrograms programs;
    CmProgram program;
    int channel;

    @BeforeEach
    void begin() {
        programs = new CmPrograms("rxe", state);
        program = programs.program("program");
        channel = program.open();
    }

    @AfterEach
    void end() {
        programs.close();
        assertEquals(0, programs.device.identifierCount());
    }
}
