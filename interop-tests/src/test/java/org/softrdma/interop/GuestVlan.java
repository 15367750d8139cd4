// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * VLAN 7 on a wire between two network namespaces of the guest, since the kernel of a host may lack VLANs; exists for one test. The VLAN
 * priority is 5 for socket priority 5, and 0 for all other packets.
 */
final class GuestVlan implements AutoCloseable {
    /** Script that sets up one end. Arguments: the ip command, the end, the host part of its addresses. */
    private static final String MAKE_END = """
        %1$s link set lo up
        %1$s link set veth-%2$s addrgenmode none up
        %1$s link add vlan7 link veth-%2$s type vlan id 7 egress-qos-map 0:0 5:5
        %1$s link set vlan7 addrgenmode none
        %1$s addr add 10.99.7.%3$d/24 dev vlan7
        %1$s addr add fd99:7::%3$d/64 dev vlan7 nodad
        %1$s link set vlan7 up
        """;
    /** Filter for RoCE frames with a tag and without one: a frame without a tag would be a defect and must appear in the capture. */
    private static final String ROCE_FRAMES = "ether proto 0x8915 or udp port 4791 or (vlan and (ether proto 0x8915 or udp port 4791))";
    private static final Duration SHORTLY = Duration.ofSeconds(30);
    /** Deadline of a server's start: Java on an emulated processor. */
    private static final Duration LISTENS_WITHIN = Duration.ofSeconds(90);
    private static final long QUIET_MS = 1000;

    /** One end of the wire. */
    final class End {
        final String ipv4;
        private final String name;
        /** Namespace of this end, or null for the guest's first one. */
        private final String namespace;
        private final String makeScript;

        private End(String name, String namespace, int host) {
            this.name = name;
            this.namespace = namespace;
            ipv4 = "10.99.7." + host;
            makeScript = MAKE_END.formatted(namespace == null ? "ip" : "ip -n " + namespace, name, host);
        }

        /** Interface of the wire, whose frames are tagged. */
        String parent() {
            return "veth-" + name;
        }

        /** Starts a program of the guest at this end. */
        RunningCommand startProgram(String... words) {
            return start(words[0], List.of(words));
        }

        /**
         * Starts one of our tools at this end, with its device on the VLAN.
         *
         * @param options options of {@code rdma link add}
         */
        RunningCommand startTool(String options, String... words) {
            String state = "/run/state-" + name;
            run("mkdir -p " + state + "; echo 'link rxe0 type rxe netdev vlan7 " + options + "' >" + state + "/links");
            return start("softrdma-" + words[0], GuestTools.command(state, words));
        }

        private RunningCommand start(String file, List<String> words) {
            List<String> command = new ArrayList<>(namespace == null ? List.of() : List.of("ip", "netns", "exec", namespace));
            command.addAll(words);
            return guest.start(directory.resolve(file + "-" + name + ".txt"), command);
        }

        /** Waits until a process at this end listens on a TCP port. */
        void awaitListener(int port) {
            await("cat /proc/net/tcp /proc/net/tcp6 | grep -q ':" + String.format("%04X", port) + " [0-9A-F:]* 0A '");
        }

        /** Waits until a tool of ours at this end has opened its device on a raw link. */
        void awaitRawDevice() {
            await("grep -q ' 0003 ' /proc/net/packet");
        }

        /** Waits until a shell command succeeds. */
        void await(String command) {
            try (RunningCommand waiting = start("await", List.of("sh", "-c", "until " + command + "; do sleep 0.2; done"))) {
                waiting.awaitSuccess(LISTENS_WITHIN);
            }
        }
    }

    final End a;
    final End b;
    private final Guest guest;
    private final Path directory;
    private final Path log;
    /** Capture file of tcpdump, written by the guest. */
    private final Path capture;

    private GuestVlan(KernelLab lab, String name, String namespaceOfA) throws IOException {
        guest = lab.guest();
        capture = lab.shared("vlan.pcap");
        directory = CaseDirectory.make(lab.directory().resolve(name));
        log = directory.resolve("guest.txt");
        a = new End("a", namespaceOfA, 1);
        b = new End("b", "vlan-b", 2);
        GuestTools.mount(guest, log);
        boolean made = false;
        try {
            run("modprobe -a 8021q veth; ip netns add vlan-b; ip link add veth-a type veth peer name veth-b netns vlan-b");
            if (namespaceOfA != null) {
                run("ip netns add " + namespaceOfA + "; ip link set veth-a netns " + namespaceOfA);
            }
            run(a.makeScript);
            run(b.makeScript);
            made = true;
        } finally {
            if (!made) {
                close();
            }
        }
    }

    /** Creates a wire with each end in a namespace, for tools of ours. */
    static GuestVlan between(KernelLab lab, String name) throws IOException {
        return new GuestVlan(lab, name, "vlan-a");
    }

    /** Creates a wire whose end {@code a} is in the guest's first namespace, where its rdma_rxe works. */
    static GuestVlan toTheKernel(KernelLab lab, String name) throws IOException {
        return new GuestVlan(lab, name, null);
    }

    /** Runs shell commands in the guest's first namespace; all must succeed. */
    void run(String script) {
        guest.run(log, SHORTLY, "sh", "-ec", script);
    }

    /** Records the RoCE frames on the wire, below the VLAN. */
    Recording record() {
        return new Recording();
    }

    /** A run of tcpdump at end {@code a} that writes to a directory of the host. */
    final class Recording implements AutoCloseable {
        private final RunningCommand tcpdump;

        private Recording() {
            tcpdump = a.startProgram("tcpdump", "-Z", "root", "-U", "--immediate-mode", "-i", a.parent(), "-w",
                "/lab/" + capture.getFileName(), ROCE_FRAMES);
            tcpdump.awaitOutput("listening on", SHORTLY);
        }

        /**
         * Stops the recording once the file has not grown for a while.
         *
         * @return the recorded frames, as pcapng
         */
        Path stop() throws IOException, InterruptedException {
            long size;
            do {
                size = Files.size(capture);
                Thread.sleep(QUIET_MS);
            } while (Files.size(capture) != size);
            close();
            Path result = directory.resolve("capture.pcapng");
            Tshark.read(capture, "-F", "pcapng", "-w", result.toString());
            return result;
        }

        @Override
        public void close() {
            tcpdump.close();
        }
    }

    /** Deletes the namespaces, and with them the wire. */
    @Override
    public void close() {
        guest.run(log, SHORTLY, "sh", "-c", "ip netns del vlan-b; ip netns del vlan-a; ip link del veth-a; true");
    }
}
