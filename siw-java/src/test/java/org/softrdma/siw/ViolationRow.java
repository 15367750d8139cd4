// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.softrdma.siw.ViolationScene.RECEIVE_BYTES;

import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.softrdma.siw.ViolationScene.Refusal;
import org.softrdma.verbs.WcStatus;

/** A violation: the last segment of {@code bad} after the others, and the same within the rules. */
final class ViolationRow {
    final String name;
    final Refusal refusal;
    final Function<ViolationScene, List<String>> bad;
    final Function<ViolationScene, List<String>> good;
    List<WcStatus> receives = List.of(WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR);
    int posted = 2;
    int receiveBytes = RECEIVE_BYTES;
    boolean together;
    Consumer<SiwPair.Setup> setup = change -> { };
    Consumer<SiwPair.Setup> twinSetup = setup;

    ViolationRow(String name, Refusal refusal, Function<ViolationScene, List<String>> bad, Function<ViolationScene, List<String>> good) {
        this.name = name;
        this.refusal = refusal;
        this.bad = bad;
        this.good = good;
    }

    /** Sets the completions of the receives. */
    ViolationRow receives(WcStatus... statuses) {
        receives = List.of(statuses);
        return this;
    }

    ViolationRow posted(int count) {
        posted = count;
        receives = Collections.nCopies(count, WcStatus.WR_FLUSH_ERR);
        return this;
    }

    ViolationRow receiveBytes(int bytes) {
        receiveBytes = bytes;
        return this;
    }

    /** All segments are received at once, so that no response is sent between them. */
    ViolationRow together() {
        together = true;
        return this;
    }

    /** Sets up the connection of the violation and of its twin. */
    ViolationRow with(Consumer<SiwPair.Setup> change) {
        setup = change;
        twinSetup = change;
        return this;
    }

    ViolationRow withTwin(Consumer<SiwPair.Setup> change) {
        twinSetup = change;
        return this;
    }

    ViolationScene scene(boolean responder, Consumer<SiwPair.Setup> change) {
        ViolationScene scene = new ViolationScene(responder, change);
        for (int i = 0; i < posted; i++) {
            scene.postReceive(receiveBytes);
        }
        return scene;
    }

    @Override
    public String toString() {
        return name;
    }
}
