// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.threads;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.Agent;

/**
 * Where the devices of this process get their threads. By default each has a daemon thread of its own, and all share one that watches
 * their interfaces. A program with other wishes says so before it opens its first device:
 *
 * <ul>
 * <li>{@link #useFactory}: the threads are made by the program's factory, which may pin or name them, or give them a priority;
 * <li>{@link #driveByApplication}: there are none. The devices are then an {@link Agent} that the program runs in its own duty cycle,
 *     with Agrona's {@code AgentInvoker}, or on a thread with an {@code AgentRunner} and the idle strategy of its choice.
 * </ul>
 *
 * <p>In an application's duty cycle, polling a completion queue still drives its device, and a call that blocks until something happens
 * drives all of them, so that a program of one thread does not wait for itself. Two threads remain: the one that
 * reports to {@code rdma resource}, and, made by the factory, Netty's, which sets up the TCP connections of iWARP.
 */
public final class DeviceThreads {
    /**
     * System property: how long a device's thread keeps looking for work after its last before it sleeps, in microseconds. Where programs
     * that poll leave it no processor of its own, as on a machine with two, 0 is best: a thread that looks takes theirs.
     */
    public static final String SPIN_PROPERTY = "softrdma.spin";

    private static final int USUAL_SPIN_US = 20;
    private static final List<Agent> DRIVEN = new CopyOnWriteArrayList<>();
    private static final Agent ALL = new Agent() {
        @Override
        public int doWork() {
            return driveAll();
        }

        @Override
        public String roleName() {
            return "softrdma-devices";
        }
    };
    private static volatile ThreadFactory factory = run -> Thread.ofPlatform().daemon().unstarted(run);
    private static volatile boolean applicationDriven;

    private DeviceThreads() {
    }

    /**
     * {@return how long devices that are opened now keep looking for work before their thread sleeps, nanoseconds, from
     * {@link #SPIN_PROPERTY}}
     */
    public static long spinNs() {
        return TimeUnit.MICROSECONDS.toNanos(Math.max(0, Integer.getInteger(SPIN_PROPERTY, USUAL_SPIN_US)));
    }

    /**
     * Replaces the factory of the threads of devices opened from now on. They end with their device.
     *
     * @param maker makes threads that are not started; daemon threads suit best
     */
    public static void useFactory(ThreadFactory maker) {
        factory = Objects.requireNonNull(maker, "maker");
    }

    /**
     * Leaves the driving of all devices opened from now on to the application.
     *
     * @return the devices of the process, as one agent: to be called often, by one thread at a time; an idle device costs it a system
     *     call or two
     */
    public static Agent driveByApplication() {
        applicationDriven = true;
        return ALL;
    }

    /** Gives devices opened from now on threads again. Those that were opened before stay with the application. */
    public static void driveByThreads() {
        applicationDriven = false;
    }

    /**
     * {@return the devices that the application drives, each by itself; {@link Agent#roleName} is {@code softrdma-} and the device's name}
     */
    public static List<Agent> agents() {
        return List.copyOf(DRIVEN);
    }

    /** {@return whether devices opened now are driven by the application} */
    public static boolean isApplicationDriven() {
        return applicationDriven;
    }

    /**
     * Enters what the application has to drive; for devices.
     *
     * @param agent a device, or a periodic task
     */
    public static void add(Agent agent) {
        DRIVEN.add(agent);
    }

    /**
     * Takes out what has ended; for devices.
     *
     * @param agent entered before
     */
    public static void remove(Agent agent) {
        DRIVEN.remove(agent);
    }

    /** {@return the number of agents that the application has to drive} */
    public static int count() {
        return DRIVEN.size();
    }

    /**
     * Drives whatever the application has to drive, once.
     *
     * @return how much was done, 0 if there was nothing to do
     */
    public static int driveAll() {
        int done = 0;
        try {
            for (Agent agent : DRIVEN) {
                done += agent.doWork();
            }
        } catch (RuntimeException broken) {
            throw broken;
        } catch (Exception impossible) {
            throw new IllegalStateException("a device's agent throws no checked exceptions", impossible);
        }
        return done;
    }

    /**
     * Lets the devices get on while the caller waits for them: drives those that have no thread; if there was nothing to do, sleeps.
     *
     * @param sleepNs how long at most
     */
    public static void pause(long sleepNs) {
        if (DRIVEN.isEmpty() || driveAll() == 0) {
            LockSupport.parkNanos(sleepNs);
        }
    }

    /**
     * Makes a thread with the program's factory.
     *
     * @param name of the thread
     * @param run  its body
     * @return the thread, not started
     */
    public static Thread newThread(String name, Runnable run) {
        Thread made = factory.newThread(run);
        made.setName(name);
        return made;
    }
}
