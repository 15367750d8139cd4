// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** The arrows between the modules, and the purity of the protocol machines: docs/architecture.md. */
@AnalyzeClasses(packages = "org.softrdma", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String VERBS = "org.softrdma.verbs..";
    private static final String CONTRACT = "org.softrdma.contract..";
    private static final String WIRE = "org.softrdma.wire..";
    private static final String DEVICE = "org.softrdma.device..";
    private static final String RXE = "org.softrdma.rxe..";
    private static final String SIW = "org.softrdma.siw..";
    private static final String RSOCKET = "org.softrdma.rsocket..";
    private static final String SIMULATOR = "org.softrdma.simulator..";
    private static final String TOOLS = "org.softrdma.tools..";
    private static final Set<String> RXE_MACHINES = Set.of("QpMachine", "RcMachine", "Requester", "Completer", "Responder", "SendState",
        "ResponseQueue", "FetchMemory", "RequestOpcodes", "SendData", "MessageWriter", "SendCompletions", "InboundMessage",
        "ReceiveCompletions", "UnreliableMachine", "UnreliableRequester", "UcMachine", "UcRequester", "UcResponder", "UdMachine",
        "UdRequester", "UdResponder", "GrhArea");
    private static final Set<String> SIW_MACHINES = Set.of("SiwMachine", "FpduReader", "FpduWriter", "Inbound", "Outbound",
        "OutstandingRequests", "PendingResponses", "SendCompletions", "ReceiveCompletions", "SiwConnection", "MpaInitiator", "MpaResponder",
        "StartupFrame", "Handshake");
    private static final Set<String> RSOCKET_MACHINES = Set.of("StreamMachine", "Inbound", "Outbound", "TargetList", "ConnectionData");
    private static final Set<String> MACHINES = machines();

    private static Set<String> machines() {
        Set<String> names = new TreeSet<>(Set.of("org.softrdma.device.queue.LocalOperations"));
        RXE_MACHINES.forEach(name -> names.add("org.softrdma.rxe." + name));
        SIW_MACHINES.forEach(name -> names.add("org.softrdma.siw." + name));
        RSOCKET_MACHINES.forEach(name -> names.add("org.softrdma.rsocket." + name));
        return names;
    }

    @ArchTest
    static final ArchRule SHOULD_KEEP_VERBS_FACADE_FREE_OF_DEPENDENCIES =
        classes().that().resideInAPackage(VERBS).should().onlyDependOnClassesThat().resideInAnyPackage(VERBS, "java..");

    /** Any provider can run it, on a HotSpot JVM, which tells what a thread allocates. */
    @ArchTest
    static final ArchRule SHOULD_LET_THE_CONTRACT_KNOW_THE_FACADE_ONLY = classes().that().resideInAPackage(CONTRACT).should()
        .onlyDependOnClassesThat().resideInAnyPackage(CONTRACT, VERBS, "java..", "com.sun.management", "org.junit..");

    /** They run over any provider. */
    @ArchTest
    static final ArchRule SHOULD_LET_RSOCKETS_KNOW_THE_FACADE_ONLY =
        classes().that().resideInAPackage(RSOCKET).should().onlyDependOnClassesThat().resideInAnyPackage(RSOCKET, VERBS, "java..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_TESTS_OUT_OF_EVERYTHING_ELSE = noClasses().that().resideOutsideOfPackage(CONTRACT).should()
        .dependOnClassesThat().resideInAnyPackage(CONTRACT, "org.junit..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_WIRE_FORMATS_FREE_OF_DEPENDENCIES =
        classes().that().resideInAPackage(WIRE).should().onlyDependOnClassesThat().resideInAnyPackage(WIRE, "java..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_WIRE_FORMATS_FREE_OF_IO = noClasses().that().resideInAPackage(WIRE).should()
        .dependOnClassesThat().resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..", "java.util.concurrent..");

    @ArchTest
    static final ArchRule SHOULD_KEEP_SOFT_DEVICE_BELOW_THE_PROVIDERS =
        noClasses().that().resideInAPackage(DEVICE).should().dependOnClassesThat().resideInAnyPackage(RXE, SIW, SIMULATOR, TOOLS);

    @ArchTest
    static final ArchRule SHOULD_KEEP_RXE_BELOW_SIMULATOR_AND_TOOLS =
        noClasses().that().resideInAPackage(RXE).should().dependOnClassesThat().resideInAnyPackage(SIW, SIMULATOR, TOOLS);

    @ArchTest
    static final ArchRule SHOULD_KEEP_SIW_BESIDE_RXE_AND_BELOW_THE_TOOLS =
        noClasses().that().resideInAPackage(SIW).should().dependOnClassesThat().resideInAnyPackage(RXE, SIMULATOR, TOOLS);

    /** The protocol knows streams; that they are Netty's is known where they are made. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_NETTY_IN_THE_TCP_LINK = noClasses().that().resideInAPackage("org.softrdma..").and()
        .haveNameNotMatching("org\\.softrdma\\.siw\\.(TcpLink|NettyStream).*").should().dependOnClassesThat()
        .resideInAPackage("io.netty..");

    /** It judges devices from outside: by the API, the wire and the simulated network. */
    @ArchTest
    static final ArchRule SHOULD_KEEP_SIMULATOR_OUT_OF_THE_DEVICES = classes().that().resideInAPackage(SIMULATOR).should()
        .onlyDependOnClassesThat(DescribedPredicate.describe("a judge may know", type -> type.getPackageName().startsWith("java.")
            || type.getPackageName().startsWith("org.softrdma.simulator") || type.getPackageName().startsWith("org.softrdma.verbs")
            || type.getPackageName().startsWith("org.softrdma.wire") || type.getPackageName().startsWith("org.softrdma.device.sim")
            || type.getPackageName().startsWith("org.softrdma.device.fault")
            || type.getFullName().equals("org.softrdma.device.DeviceWork") || type.getFullName().equals("org.softrdma.rxe.SimulatedRxe")));

    /** Beyond the facade a tool may name what is configured, faults included, ask running processes, and make devices on the spot. */
    @ArchTest
    static final ArchRule SHOULD_LET_TOOLS_USE_THE_FACADE_AND_CONFIGURATION_ONLY = noClasses().that().resideInAPackage(TOOLS).should()
        .dependOnClassesThat(softrdmaClassesToolsMustNotKnow());

    @ArchTest
    static final ArchRule SHOULD_KEEP_PROTOCOL_MACHINES_PURE = noClasses().that(areMachines()).should()
        .dependOnClassesThat().resideInAnyPackage("java.net..", "java.nio.channels..", "java.io..", "java.nio.file..")
        .orShould().dependOnClassesThat().areAssignableTo(Thread.class)
        .orShould().dependOnClassesThat().areAssignableTo(Random.class)
        .orShould().callMethod(System.class, "nanoTime")
        .orShould().callMethod(System.class, "currentTimeMillis")
        .orShould().callMethod(Math.class, "random");

    private static DescribedPredicate<JavaClass> areMachines() {
        return DescribedPredicate.describe("are protocol machines", type -> MACHINES.contains(outermost(type).getFullName()));
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
    }

    private static DescribedPredicate<JavaClass> softrdmaClassesToolsMustNotKnow() {
        return DescribedPredicate.describe("belong to a device", type -> {
            String name = type.getPackageName();
            boolean inDevice = name.startsWith("org.softrdma.device") || name.startsWith("org.softrdma.rxe")
                || name.startsWith("org.softrdma.siw") || name.startsWith("org.softrdma.wire");
            boolean entryPoint = name.startsWith("org.softrdma.device.config") || name.startsWith("org.softrdma.device.fault")
                || name.startsWith("org.softrdma.device.inspect")
                || type.getFullName().equals("org.softrdma.rxe.Rxe")
                || type.getFullName().equals("org.softrdma.rxe.RxeProvider");
            return inDevice && !entryPoint;
        });
    }

    /** So that a renamed machine does not slip out of the rule. */
    @ArchTest
    static void shouldFindEveryProtocolMachine(JavaClasses all) {
        for (String machine : MACHINES) {
            if (!all.contain(machine)) {
                throw new AssertionError("no class " + machine + ": has it another name now?");
            }
        }
    }
}
