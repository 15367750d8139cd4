// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.softrdma.verbs.reason.Failure;

/**
 * Event of a queue pair, a connection or a device, for Java's own flight recorder, where it stands beside pauses of the collector
 * and of threads. Packets and work requests are not among these events: one for each would cost more than the packet.
 */
@Name("softrdma.Event")
@Label("RDMA Event")
@Category("softrdma")
@Description("A queue pair changed its state, failed, repeated or refused something, or dropped a packet")
@StackTrace(false)
final class ProfileEvent extends Event {
    @Label("End")
    @Description("Device, and number of the queue pair or connection")
    String end;
    @Label("Kind")
    String kind;
    @Label("Reason")
    @Description("Short name: softrdma explain NAME")
    String reason;
    @Label("Text")
    String text;

    /** Whether anybody may want an event: otherwise nothing of Java's recorder is loaded. */
    static boolean isWanted() {
        return FlightRecorder.isInitialized();
    }

    /**
     * Reports an event, if it is enabled.
     *
     * @param kind {@code state}, {@code raised}, or the effect of a reason
     */
    static void report(EventRing ring, String kind, String text) {
        ProfileEvent event = new ProfileEvent();
        if (event.shouldCommit()) {
            event.commit(ring, kind, text);
        }
    }

    /** Reports what a reason has caused, if it is enabled. */
    static void report(EventRing ring, Enum<?> effect, Failure why) {
        ProfileEvent event = new ProfileEvent();
        if (event.shouldCommit()) {
            event.reason = why.reason().shortName();
            event.commit(ring, effect.name().toLowerCase(Locale.ROOT), why.sentence());
        }
    }

    private void commit(EventRing ring, String itsKind, String itsText) {
        end = ring.head().toString();
        kind = itsKind;
        text = itsText;
        commit();
    }
}
