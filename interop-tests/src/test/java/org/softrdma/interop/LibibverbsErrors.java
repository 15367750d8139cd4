// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.ConnectionManager;

/** An application on libibverbs that meets errors of its machine. It prints each with the action that met it. */
final class LibibverbsErrors {
    private static final String DEVICE = "libibverbs:";
    private static final int PAGE = 4096;
    private static final int LARGE = 1 << 20;
    private static final int RIGHTS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY;
    private static final int FIRST_PSN = 1;
    private static final long SECOND_NS = 1_000_000_000;
    private static final long LOOK_AGAIN_MS = 20;
    /** How long a wait may take to end by itself. */
    private static final long MAY_END_MS = 2000;
    private static final int PATIENCE_SECONDS = 60;

    private LibibverbsErrors() {
    }

    /** @param arguments name of the case, and its parameters */
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "no-library" -> withoutLibrary(arguments[1]);
            case "older-library" -> withOlderLibrary(arguments[1]);
            case "closed-arena" -> withClosedArena(arguments[1]);
            case "limit" -> withLimit(arguments[1]);
            case "gone" -> withDeviceGone(arguments[1], Path.of(arguments[2]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("end");
    }

    private interface Action {
        void run() throws Exception;
    }

    /** Prints the outcome of an action: "ok", or the message of the error. */
    private static void attempt(String what, Action action) throws Exception {
        String outcome = "ok";
        try {
            action.run();
        } catch (VerbsException refused) {
            outcome = refused.getMessage();
        }
        System.out.println(what + ": " + outcome);
    }

    private static void printLog() {
        Logger logger = Logger.getLogger("org.softrdma.libibverbs");
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
        logger.addHandler(new Handler() {
            @Override
            public void publish(LogRecord entry) {
                System.out.println("log " + entry.getLevel() + ": " + entry.getMessage());
            }

            @Override
            public void flush() {
                // printed already
            }

            @Override
            public void close() {
                // standard output stays open
            }
        });
    }

    private static void withoutLibrary(String name) throws Exception {
        printLog();
        for (int i = 0; i < 2; i++) {
            System.out.println("devices: " + Verbs.devices().size());
            attempt("open", () -> Verbs.open(DEVICE + name).close());
            System.out.println("manager: " + ConnectionManager.get().getClass().getPackageName());
        }
    }

    /** Uses what later releases added, and what all have. */
    private static void withOlderLibrary(String name) throws Exception {
        try (Context context = Verbs.open(DEVICE + name);
            ProtectionDomain pd = context.allocatePd();
            CompletionQueue cq = context.createCq(4)) {
            System.out.println("index: " + context.device().index());
            attempt("GID table", context::queryGidTable);
            attempt("GID entry", () -> context.queryGidEntry(1, 0));
            attempt("GID", () -> context.queryGid(1, 0));
            attempt("region", () -> pd.register(Arena.global().allocate(PAGE), RIGHTS).close());
            attempt("region with optional rights",
                () -> pd.register(Arena.global().allocate(PAGE), RIGHTS | AccessFlags.RELAXED_ORDERING).close());
            attempt("queue pair", () -> pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.MINIMAL)).close());
        }
    }

    private static void withClosedArena(String name) throws Exception {
        try (Context context = Verbs.open(DEVICE + name);
            ProtectionDomain pd = context.allocatePd();
            CompletionQueue cq = context.createCq(4);
            QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.MINIMAL))) {
            MemoryRegion region;
            connectWithItself(qp, context);
            try (Arena arena = Arena.ofShared()) {
                region = pd.register(arena.allocate(PAGE), RIGHTS);
                attempt("receive before", () -> qp.postReceive(new ReceiveRequest().begin(1).element(region, 0, PAGE)));
            }
            attempt("send", () -> qp.postSend(new SendRequest().send().wrId(2).element(region, 0, PAGE)));
            attempt("receive", () -> qp.postReceive(new ReceiveRequest().begin(3).element(region, 0, PAGE)));
            qp.modify(new QpAttributes().state(QpState.ERR));
            WorkCompletion flushed = next(cq);
            System.out.println("wr_id " + flushed.wrId() + " " + flushed.status());
            attempt("close", region::close);
            System.out.println("completions: " + cq.poll(WorkCompletion.array(1)));
        }
    }

    private static WorkCompletion next(CompletionQueue cq) {
        WorkCompletion[] one = WorkCompletion.array(1);
        long untilNs = System.nanoTime() + PATIENCE_SECONDS * SECOND_NS;
        while (cq.poll(one) == 0) {
            if (System.nanoTime() - untilNs > 0) {
                throw new IllegalStateException("no completion");
            }
            Thread.onSpinWait();
        }
        return one[0];
    }

    private static void connectWithItself(QueuePair qp, Context context) {
        GidEntry gid = context.queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseThrow();
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(gid.gid(), gid.index())).pathMtu(Mtu.MTU_1024)
            .destQpn(qp.qpNum()).rqPsn(FIRST_PSN).maxDestRdAtomic(1).minRnrTimer(12));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(FIRST_PSN).maxRdAtomic(1));
    }

    private static void withLimit(String name) throws Exception {
        try (Context context = Verbs.open(DEVICE + name);
            ProtectionDomain pd = context.allocatePd();
            MemoryRegion _ = pd.register(Arena.global().allocate(PAGE), RIGHTS)) {
            attempt("large", () -> pd.register(Arena.global().allocate(LARGE), RIGHTS).close());
            attempt("small", () -> pd.register(Arena.global().allocate(PAGE), RIGHTS).close());
        }
    }

    /** Two threads wait for events that do not come, while the device is removed. */
    private static void withDeviceGone(String name, Path removed) throws Exception {
        try (Context context = Verbs.open(DEVICE + name);
            ProtectionDomain pd = context.allocatePd();
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue silent = context.createCq(16, null, channel, 0);
            CompletionQueue cq = context.createCq(16);
            MemoryRegion _ = pd.register(Arena.global().allocate(PAGE), RIGHTS);
            QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.MINIMAL))) {
            connectWithItself(qp, context);
            silent.requestNotify();
            Thread completions = waiting("completion event", () -> channel.getEvent(-1));
            Thread events = waiting("asynchronous event", () -> {
                AsyncEvent event = context.getAsyncEvent(-1);
                while (event.type() != AsyncEventType.DEVICE_FATAL) {
                    event.ack();
                    event = context.getAsyncEvent(-1);
                }
                System.out.println("event: " + event.type());
                event.ack();
            });
            System.out.println("ready");
            awaitFile(removed);
            attempt("open", () -> Verbs.open(DEVICE + name).close());
            attempt("query", context::queryDevice);
            attempt("region", () -> pd.register(Arena.global().allocate(PAGE), RIGHTS).close());
            attempt("queue", () -> context.createCq(4).close());
            attempt("poll", () -> cq.poll(WorkCompletion.array(1)));
            end(completions);
            end(events);
            attempt("destroy", qp::close);
        }
    }

    private static Thread waiting(String what, Action action) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                attempt(what, action);
            } catch (Exception unexpected) {
                System.out.println(what + ": " + unexpected);
            }
        });
    }

    private static void end(Thread waiting) throws InterruptedException {
        waiting.join(MAY_END_MS);
        waiting.interrupt();
        waiting.join(PATIENCE_SECONDS * 1000L);
        System.out.println("waiting: " + waiting.isAlive());
    }

    private static void awaitFile(Path file) throws IOException, InterruptedException {
        long untilNs = System.nanoTime() + PATIENCE_SECONDS * SECOND_NS;
        while (!Files.exists(file)) {
            if (System.nanoTime() - untilNs > 0) {
                throw new IOException("there is no " + file);
            }
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }
}
