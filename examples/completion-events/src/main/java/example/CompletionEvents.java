// SPDX-License-Identifier: Apache-2.0
package example;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.WorkCompletion;

/**
 * A receiver that sleeps until messages arrive: a completion channel, armed, acknowledged and polled in the order that loses nothing.
 * The sender is another queue pair of the same process.
 *
 * <pre>
 * java -jar target/completion-events.jar
 * </pre>
 */
public final class CompletionEvents {
    private static final int MESSAGES = 100;
    /** Messages under way at once. */
    private static final int DEPTH = 16;
    private static final int BYTES = 8;
    private static final long PATIENCE_NS = 30_000_000_000L;

    private CompletionEvents() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (Context context = Verbs.open(System.getProperty("device", "rxe0"));
             ProtectionDomain pd = context.allocatePd();
             CompletionChannel channel = context.createCompletionChannel();
             CompletionQueue received = context.createCq(MESSAGES, null, channel, 0);
             CompletionQueue sent = context.createCq(DEPTH);
             QueuePair receiver = pd.createQp(QpInitAttributes.rc(received, QpCapabilities.ofDepth(MESSAGES)));
             QueuePair sender = pd.createQp(QpInitAttributes.rc(sent, QpCapabilities.ofDepth(DEPTH)));
             MemoryRegion source = pd.register(Arena.ofShared().allocate((long) DEPTH * BYTES, BYTES), 0);
             MemoryRegion target = pd.register(Arena.ofShared().allocate((long) MESSAGES * BYTES, BYTES), AccessFlags.LOCAL_WRITE)) {
            receiver.init();
            for (int message = 0; message < MESSAGES; message++) {
                receiver.postReceive(new ReceiveRequest().begin(message).element(target, (long) message * BYTES, BYTES));
            }
            // Armed before the first message can arrive: the next completion raises an event, those that are there already do not.
            received.requestNotify();
            QueuePair.connect(receiver, sender);
            Thread sending = Thread.ofVirtual().start(() -> send(sender, sent, source));
            receive(channel, target);
            sending.join();
        }
    }

    /** Sends the numbers from 0 on. A slot of the source is used again when the message it held has completed. */
    private static void send(QueuePair qp, CompletionQueue cq, MemoryRegion source) {
        SendRequest request = new SendRequest();
        WorkCompletion[] done = WorkCompletion.array(DEPTH);
        int outstanding = 0;
        for (int message = 0; message < MESSAGES; message++) {
            while (outstanding == DEPTH) {
                outstanding -= cq.poll(done, WorkCompletion::requireSuccess);
            }
            long at = (long) (message % DEPTH) * BYTES;
            source.memory().set(ValueLayout.JAVA_LONG, at, message);
            qp.postSend(request.send().wrId(message).element(source, at, BYTES).signaled());
            outstanding++;
        }
        while (outstanding > 0) {
            outstanding -= cq.poll(done, WorkCompletion::requireSuccess);
        }
    }

    private static void receive(CompletionChannel channel, MemoryRegion target) {
        WorkCompletion[] done = WorkCompletion.array(DEPTH);
        int messages = 0;
        int events = 0;
        long sum = 0;
        while (messages < MESSAGES) {
            CompletionQueue ready = channel.getEvent(PATIENCE_NS);
            if (ready == null) {
                throw new IllegalStateException("nothing has arrived for " + PATIENCE_NS / 1_000_000_000 + " s");
            }
            ready.ackEvents(1);
            events++;
            // First armed again, then emptied: a message that arrives in between raises the next event.
            ready.requestNotify();
            for (int taken = ready.poll(done); taken > 0; taken = ready.poll(done)) {
                for (int i = 0; i < taken; i++) {
                    sum += target.memory().get(ValueLayout.JAVA_LONG, done[i].requireSuccess().wrId() * BYTES);
                }
                messages += taken;
            }
        }
        System.out.println(messages + " messages, their sum is " + sum + "; the receiver was woken " + events + " times");
    }
}
