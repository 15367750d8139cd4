// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.util.Random;
import java.util.regex.Pattern;

/** Rules for the dependencies between the modules and for the purity of the protocol machines, as described in docs/architecture.md. */
@AnalyzeClasses(packages = "org.softrdma", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final Pattern TRANSPORT = Pattern.compile("\\b(rxe|siw)\\b");
    private static final String VERBS = "org.softrdma.verbs..";
    private static final String CONTRACT = "org.softrdma.contract..";
    private static final String WIRE = "org.softrdma.wire..";
    private static final String ABI = "org.softrdma.abi..";
    private static final String DEVICE = "org.softrdma.device..";
    private static final String CM = "org.softrdma.cm..";
    private static final String RXE = "org.softrdma.rxe..";
    private static final String SIW = "org.softrdma.siw..";
    private static final String RSOCKET = "org.softrdma.rsocket..";
    private static final String RPC = "org.softrdma.rpcrdma..";
    private static final String STORAGE = "org.softrdma.storage..";
    private static final String LIBIBVERBS = "org.softrdma.libibverbs..";
    private static final String SIMULATOR = "org.softrdma.simulator..";
    private static final String DAEMON = "org.softrdma.daemon..";
    private static final String CM_SEEDS = "org.softrdma.simulator.cm..";
    private static final String TESTING = "org.softrdma.testing..";
    private static final String JUNIT = "org.softrdma.junit..";
    private static final String TOOLS = "org.softrdma.tools..";
    private static final String LINUX = "org.softrdma.linux..";
    private static final String HOST = "org.softrdma.host..";
    private static final String RECORDING = "org.softrdma.recording..";
    private static final String LINK = "org.softrdma.link..";
    private static final String FABRIC = "org.softrdma.fabric..";
    /** Packages of the protocol machines; every class in them must follow the rule of purity. */
    private static final String[] MACHINES = {"org.softrdma.rxe.qp..", "org.softrdma.rxe.cm..", "org.softrdma.rxe.sim..",
        "org.softrdma.siw.qp..", "org.softrdma.siw.mpa..", "org.softrdma.siw.sim..", "org.softrdma.link.sim..",
        "org.softrdma.link.subnet..", "org.softrdma.device.sim..", "org.softrdma.device.queue..", "org.softrdma.device.qp..",
        "org.softrdma.device.events..",
        "org.softrdma.rsocket.stream..", "org.softrdma.rpcrdma.wire..", "org.softrdma.rpcrdma.machine..", "org.softrdma.storage.xdr..",
        "org.softrdma.storage.nfs4.state..", "org.softrdma.storage.nvme.wire..", "org.softrdma.storage.nvme.controller..",
        "org.softrdma.fabric.topology..", "org.softrdma.fabric.mad..", "org.softrdma.fabric.model..", "org.softrdma.fabric.attach..",
        "org.softrdma.fabric.partition..", "org.softrdma.fabric.sa..", "org.softrdma.fabric.sm..", "org.softrdma.fabric.sim..",
        "org.softrdma.fabric.ipoib.."};

    @ArchTest
    static final ArchRule SHOULD_KEEP_VERBS_FACADE_FREE_OF_DEPENDENCIES =
        classes().that().resideInAPackage(VERBS).should().onlyDependOnClassesThat().resideInAnyPackage(VERBS, "java..");

    /** The contract runs against any provider, on a HotSpot JVM, which reports what a thread allocates. */
    @ArchTest
    static final ArchRule SHOULD_LET_THE_CONTRACT_KNOW_THE_FACADE_ONLY = classes().that().resideInAPackage(CONTRACT).should()
        .onlyDependOnClassesThat().resideInAnyPackage(CONTRACT, VERBS, "java..", "com.sun.management", "org.junit..");

    /** Rsockets run over any provider. */
    @ArchTest
    static final ArchRule SHOULD_LET_RSOCKETS_KNOW_THE_FACADE_ONLY =
        classes().that().resideInAPackage(RSOCKET).should().onlyDependOnClassesThat().resideInAnyPackage(RSOCKET, VERBS, "java..");

    /** Remote procedure calls run over any provider. */
    @ArchTest
    static final ArchRule SHOULD_LET_RPC_OVER_RDMA_KNOW_THE_FACADE_ONLY =
        classes().that().resideInAPackage(RPC).should().onlyDependOnClassesThat().resideInAnyPackage(RPC, VERBS, "java..");

    /** Servers of files run over any provider. */
    @ArchTest
    static final ArchRule SHOULD_LET_STORAGE_KNOW_THE_FACADE_AND_RPC_ONLY =
        classes().that().resideInAPackage(STORAGE).should().onlyDependOnClassesThat().resideInAnyPackage(STORAGE, RPC, VERBS, "java..");

    /** A program chooses between our devices and the system's; neither needs the other. */
    @ArchTest
    static final ArchRule SHOULD_LET_THE_LIBRARY_S_PROVIDER_KNOW_THE_FACADE_ONLY =
        classes().that().resideInAPackage(LIBIBVERBS).should().onlyDependOnClassesThat().resideInAnyPackage(LIBIBVERBS, VERBS, "java..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_TESTS_OUT_OF_EVERYTHING_ELSE = noClasses().that().resideOutsideOfPackages(CONTRACT, JUNIT).should()
        .dependOnClassesThat().resideInAnyPackage(CONTRACT, JUNIT, "org.junit..");

    /** The extension is a thin cover: a test with another framework has the same fabrics. */
    @ArchTest
    static final ArchRule SHOULD_LET_THE_JUNIT_EXTENSION_KNOW_FABRICS_ONLY = classes().that().resideInAPackage(JUNIT).should()
        .onlyDependOnClassesThat().resideInAnyPackage(JUNIT, TESTING, VERBS, "java..", "org.junit..", "org.opentest4j..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_FABRICS_FOR_TESTS_ABOVE_THE_PROVIDERS = noClasses().that()
        .resideInAnyPackage(VERBS, WIRE, ABI, DEVICE, CM, LINUX, HOST, LINK, RXE, SIW, RSOCKET, SIMULATOR, DAEMON).should()
        .dependOnClassesThat().resideInAPackage(TESTING);

    @ArchTest
    static final ArchRule SHOULD_KEEP_WIRE_FORMATS_FREE_OF_DEPENDENCIES =
        classes().that().resideInAPackage(WIRE).should().onlyDependOnClassesThat().resideInAnyPackage(WIRE, "java..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_WIRE_FORMATS_FREE_OF_IO = noClasses().that().resideInAPackage(WIRE).should()
        .dependOnClassesThat().resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..", "java.util.concurrent..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_KERNEL_ABI_FREE_OF_DEPENDENCIES =
        classes().that().resideInAPackage(ABI).should().onlyDependOnClassesThat().resideInAnyPackage(ABI, "java..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_KERNEL_ABI_FREE_OF_IO = noClasses().that().resideInAPackage(ABI).should()
        .dependOnClassesThat().resideInAnyPackage("java.io..", "java.net..", "java.nio.channels..", "java.nio.file..");

    /** Recordings are read by programs that know no device. */
    @ArchTest
    static final ArchRule SHOULD_LET_RECORDINGS_KNOW_THE_FACADE_AND_WIRE_FORMATS_ONLY = classes().that().resideInAPackage(RECORDING)
        .should().onlyDependOnClassesThat().resideInAnyPackage(RECORDING, VERBS, WIRE, "java..", "com.fasterxml.jackson.core..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_SOFT_DEVICE_BELOW_THE_PROVIDERS =
        noClasses().that().resideInAPackage(DEVICE).should().dependOnClassesThat().resideInAnyPackage(CM, LINK, RXE, SIW, SIMULATOR, TOOLS);

    @ArchTest
    static final ArchRule SHOULD_KEEP_THE_CONNECTION_MANAGER_BELOW_THE_PROVIDERS =
        noClasses().that().resideInAPackage(CM).should().dependOnClassesThat().resideInAnyPackage(LINK, RXE, SIW, SIMULATOR, TOOLS);

    /** Link types and their options are declared by providers; what is below them does not even contain their names. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_NAMES_OF_TRANSPORTS_OUT_OF_SOFT_DEVICE =
        classes().that().resideInAnyPackage(DEVICE, CM, HOST).should(nameNoTransport());

    @ArchTest
    static final ArchRule SHOULD_KEEP_LINUX_SOCKETS_AND_HOST_STATE_AT_THE_BOTTOM = noClasses().that()
        .resideInAnyPackage(LINUX, HOST).should().dependOnClassesThat().resideInAnyPackage(DEVICE, CM, LINK, RXE, SIW, SIMULATOR, TOOLS);

    @ArchTest
    static final ArchRule SHOULD_KEEP_PACKET_LINKS_BELOW_THE_PROVIDERS =
        noClasses().that().resideInAPackage(LINK).should().dependOnClassesThat().resideInAnyPackage(CM, RXE, SIW, SIMULATOR, TOOLS);

    @ArchTest
    static final ArchRule SHOULD_KEEP_PACKAGES_FREE_OF_CIRCLES =
        slices().matching("org.softrdma.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule SHOULD_KEEP_RXE_BELOW_SIMULATOR_AND_TOOLS =
        noClasses().that().resideInAPackage(RXE).should().dependOnClassesThat().resideInAnyPackage(SIW, SIMULATOR, TOOLS);

    @ArchTest
    static final ArchRule SHOULD_KEEP_SIW_BESIDE_RXE_AND_BELOW_THE_TOOLS =
        noClasses().that().resideInAPackage(SIW).should().dependOnClassesThat().resideInAnyPackage(LINK, RXE, SIMULATOR, TOOLS);

    /** Only the commands of fabrics need them. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_FABRICS_ABOVE_EVERYTHING_BUT_THE_TOOLS = noClasses().that()
        .resideOutsideOfPackages(FABRIC, TOOLS).should().dependOnClassesThat().resideInAPackage(FABRIC);

    @ArchTest
    static final ArchRule SHOULD_KEEP_FABRICS_BELOW_THE_TOOLS =
        noClasses().that().resideInAPackage(FABRIC).should().dependOnClassesThat().resideInAnyPackage(SIW, SIMULATOR, DAEMON, TOOLS);

    /** A front door checks and translates; which transport executes is the device's affair. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_THE_DAEMON_OFF_THE_TRANSPORTS =
        noClasses().that().resideInAPackage(DAEMON).should().dependOnClassesThat().resideInAnyPackage(LINK, RXE, SIW, SIMULATOR, TOOLS);

    @ArchTest
    static final ArchRule SHOULD_KEEP_THE_DAEMON_ABOVE_THE_DEVICES = noClasses().that()
        .resideInAnyPackage(VERBS, WIRE, ABI, DEVICE, CM, LINUX, HOST, LINK, RXE, SIW, RSOCKET, RPC, STORAGE, SIMULATOR).should()
        .dependOnClassesThat().resideInAPackage(DAEMON);

    /** The protocol depends on streams; only the factory of the streams depends on Netty. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_NETTY_IN_THE_TCP_LINK = noClasses().that().resideInAPackage("org.softrdma..").and()
        .haveNameNotMatching("org\\.softrdma\\.siw\\.tcp\\.(NettyTcpLink|NettyStream).*").should().dependOnClassesThat()
        .resideInAPackage("io.netty..");

    /** The simulator tests devices from outside: through the API, their options, the wire and the simulated network. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_SIMULATOR_OUT_OF_THE_DEVICES = classes().that().resideInAPackage(SIMULATOR).and()
        .resideOutsideOfPackage(CM_SEEDS).should()
        .onlyDependOnClassesThat(DescribedPredicate.describe("a judge may know", type -> type.getPackageName().startsWith("java.")
            || type.getPackageName().startsWith("org.softrdma.simulator") || type.getPackageName().startsWith("org.softrdma.verbs")
            || type.getPackageName().startsWith("org.softrdma.wire") || type.getPackageName().startsWith("org.softrdma.device.sim")
            || type.getPackageName().startsWith("org.softrdma.host.config")
            || type.getPackageName().startsWith("org.softrdma.link.sim")
            || type.getPackageName().startsWith("org.softrdma.link.fault")
            || type.getFullName().equals("org.softrdma.device.agent.DeviceWork")
            || type.getPackageName().startsWith("org.softrdma.siw.sim") || type.getPackageName().startsWith("org.softrdma.siw.config")
            || type.getFullName().startsWith("org.softrdma.siw.SimulatedSiw")
            || type.getPackageName().startsWith("org.softrdma.rxe.config") || type.getFullName().equals("org.softrdma.rxe.RxeOptions")
            || type.getFullName().equals("org.softrdma.rxe.SimulatedRxe")));

    /** Connection management is simulated without devices: its seeds are the applications of {@code CommunicationManager}. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_SEEDS_OF_CONNECTION_MANAGEMENT_OUT_OF_THE_DEVICES = classes().that().resideInAPackage(CM_SEEDS)
        .should().onlyDependOnClassesThat().resideInAnyPackage("java..", SIMULATOR, VERBS, WIRE, "org.softrdma.rxe.cm..",
            "org.softrdma.rxe.sim..", "org.softrdma.device", "org.softrdma.cm");

    /**
     * Beyond the facade, a tool may use the configuration, faults included, query running processes, and create devices for its own run.
     */
    @ArchTest
    static final ArchRule SHOULD_LET_TOOLS_USE_THE_FACADE_AND_CONFIGURATION_ONLY = noClasses().that().resideInAPackage(TOOLS).should()
        .dependOnClassesThat(softrdmaClassesToolsMustNotKnow());

    @ArchTest
    static final ArchRule SHOULD_KEEP_PROTOCOL_MACHINES_PURE = noClasses().that().resideInAnyPackage(MACHINES).should()
        .dependOnClassesThat().resideInAnyPackage("java.net..", "java.nio.channels..", "java.io..", "java.nio.file..")
        .orShould().dependOnClassesThat().areAssignableTo(Thread.class)
        .orShould().dependOnClassesThat().areAssignableTo(Random.class)
        .orShould().callMethod(System.class, "nanoTime")
        .orShould().callMethod(System.class, "currentTimeMillis")
        .orShould().callMethod(Math.class, "random");

    /** Machines reach their work queues through a port, so a test can build them without a device, a lock or a channel. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_PROTOCOL_MACHINES_OFF_THE_DEVICE = noClasses().that().resideInAnyPackage(MACHINES).should()
        .dependOnClassesThat().resideInAnyPackage("org.softrdma.device.verbs..", "org.softrdma.device.engine..");

    /** Fails for a class file whose strings contain the name of a transport. */
    private static ArchCondition<JavaClass> nameNoTransport() {
        return new ArchCondition<>("have no string with the name of a transport") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (PoolEntry each : ClassFile.of().parse(bytes(type)).constantPool()) {
                    if (each instanceof StringEntry string && TRANSPORT.matcher(string.stringValue()).find()) {
                        events.add(SimpleConditionEvent.violated(type, type.getName() + " has \"" + string.stringValue() + "\""));
                    }
                }
            }
        };
    }

    private static byte[] bytes(JavaClass type) {
        try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            return in.readAllBytes();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static DescribedPredicate<JavaClass> softrdmaClassesToolsMustNotKnow() {
        return DescribedPredicate.describe("belong to a device", type -> {
            String name = type.getPackageName();
            boolean inDevice = name.startsWith("org.softrdma.device") || name.startsWith("org.softrdma.cm")
                || name.startsWith("org.softrdma.link") || name.startsWith("org.softrdma.linux") || name.startsWith("org.softrdma.rxe")
                || name.startsWith("org.softrdma.siw") || name.startsWith("org.softrdma.fabric") || name.startsWith("org.softrdma.wire");
            boolean entryPoint = name.startsWith("org.softrdma.host.config") || name.startsWith("org.softrdma.link.fault")
                || name.startsWith("org.softrdma.host.inspect")
                || name.startsWith("org.softrdma.rxe.config") || name.startsWith("org.softrdma.siw.config")
                || name.startsWith("org.softrdma.fabric.run") || name.startsWith("org.softrdma.fabric.topology")
                || name.startsWith("org.softrdma.fabric.model") || name.startsWith("org.softrdma.fabric.partition")
                || name.startsWith("org.softrdma.fabric.net") || name.startsWith("org.softrdma.fabric.ipoib")
                || type.getFullName().equals("org.softrdma.rxe.Rxe");
            return inDevice && !entryPoint;
        });
    }
}
