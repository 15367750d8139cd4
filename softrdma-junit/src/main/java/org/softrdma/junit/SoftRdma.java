// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.softrdma.testing.DeviceKind;

/**
 * Gives each test a network of RDMA devices of its own. The test names what it needs by parameters of its methods, {@code @BeforeEach} and
 * {@code @AfterEach} included:
 *
 * <ul>
 * <li>{@link org.softrdma.testing.RdmaPair}: two connected queue pairs, on devices 0 and 1;
 * <li>{@link org.softrdma.testing.Fabric}: the network: time, faults, threads, connections by address;
 * <li>{@link org.softrdma.testing.Counters}: what the devices have counted since the test began;
 * <li>{@link org.softrdma.verbs.RdmaDevice}, {@link org.softrdma.verbs.Context} (open, closed after the test) and
 *     {@link org.softrdma.verbs.cm.ConnectionManager}: the first parameter of each type is of device 0, the next of device 1, and so on,
 *     unless {@link OnDevice} says otherwise.
 * </ul>
 *
 * <p>By default the network is simulated and time virtual: what happens depends on the seed only, and a lost second costs nothing. A failed
 * test reports the seed, the counters that have moved and a recording of the packets. A test that passes but leaves objects open, memory
 * registered or completions unread fails. With {@link #sockets} the same test runs on the loopback interface in real time.
 *
 * <p>On a method it replaces the annotation of the class. Tests may run in parallel.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SoftRdmaExtension.class)
public @interface SoftRdma {
    /** System property: the seed of all tests, in place of {@link #seed}; tests with {@link Seeds} run with this one only. */
    String SEED_PROPERTY = "softrdma.seed";
    /** System property: directory of the recordings of failed tests, {@code target/softrdma-recordings} by default. */
    String RECORDINGS_PROPERTY = "softrdma.recordings";

    /** {@return the number of devices, each as if on a host of its own} */
    int devices() default 2;

    /** {@return the kind of the devices} */
    DeviceKind kind() default DeviceKind.ROCE_V2;

    /**
     * {@return the faults of every packet on its way, as docs/faults.md describes, without {@code dir} and {@code seed}:
     * {@code "drop=1%"}}
     */
    String faults() default "none";

    /** {@return the source of everything random} */
    long seed() default 1;

    /** {@return the maximum transmission unit of the simulated interfaces, bytes: 1500 gives a path MTU of 1024, 4200 one of 4096} */
    int mtu() default 1500;

    /** {@return whether the devices are on sockets of the loopback interface, in real time} */
    boolean sockets() default false;

    /** {@return whether a test fails that leaves objects open, memory registered, or completions unread} */
    boolean leaks() default true;
}
